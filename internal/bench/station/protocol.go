package station

import "encoding/json"

// Protocol is how a model's API is asked for an answer with a tool call.
type Protocol struct {
	path    string
	header  map[string]string
	request func(model string) any
	calls   func(answer []byte) (bool, error)
}

// The function that the model is told to call, and how.
const (
	function    = "report_ready"
	description = "Reports that tools can be called."
	question    = "Call the function " + function + "."
)

type object = map[string]any

// parameters is the JSON Schema of a function without parameters.
var parameters = object{"type": "object", "properties": object{}}

// ChatCompletions is OpenAI's older protocol, which most servers speak
// (https://platform.openai.com/docs/api-reference/chat).
var ChatCompletions = Protocol{
	path: "/chat/completions",
	request: func(model string) any {
		return object{
			"model": model, "messages": []object{{"role": "user", "content": question}},
			"tools":       []object{{"type": "function", "function": object{"name": function, "description": description, "parameters": parameters}}},
			"tool_choice": object{"type": "function", "function": object{"name": function}},
		}
	},
	calls: func(answer []byte) (bool, error) {
		var a struct {
			Choices []struct {
				Message struct {
					Calls []struct {
						Function struct {
							Name string `json:"name"`
						} `json:"function"`
					} `json:"tool_calls"`
				} `json:"message"`
			} `json:"choices"`
		}
		err := json.Unmarshal(answer, &a)
		for _, choice := range a.Choices {
			for _, call := range choice.Message.Calls {
				if call.Function.Name == function {
					return true, err
				}
			}
		}
		return false, err
	},
}

// Responses is OpenAI's newer protocol
// (https://platform.openai.com/docs/api-reference/responses).
var Responses = Protocol{
	path: "/responses",
	request: func(model string) any {
		return object{
			"model": model, "input": question, "store": false,
			"tools":       []object{{"type": "function", "name": function, "description": description, "parameters": parameters}},
			"tool_choice": object{"type": "function", "name": function},
		}
	},
	calls: func(answer []byte) (bool, error) {
		var a struct {
			Output []struct {
				Type string `json:"type"`
				Name string `json:"name"`
			} `json:"output"`
		}
		err := json.Unmarshal(answer, &a)
		for _, item := range a.Output {
			if item.Type == "function_call" && item.Name == function {
				return true, err
			}
		}
		return false, err
	},
}

// Messages is Anthropic's protocol (https://docs.anthropic.com/en/api/messages).
var Messages = Protocol{
	path:   "/messages",
	header: map[string]string{"anthropic-version": "2023-06-01"},
	request: func(model string) any {
		return object{
			"model": model, "max_tokens": 256, "messages": []object{{"role": "user", "content": question}},
			"tools":       []object{{"name": function, "description": description, "input_schema": parameters}},
			"tool_choice": object{"type": "tool", "name": function},
		}
	},
	calls: func(answer []byte) (bool, error) {
		var a struct {
			Content []struct {
				Type string `json:"type"`
				Name string `json:"name"`
			} `json:"content"`
		}
		err := json.Unmarshal(answer, &a)
		for _, part := range a.Content {
			if part.Type == "tool_use" && part.Name == function {
				return true, err
			}
		}
		return false, err
	},
}
