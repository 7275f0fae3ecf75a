package toolset

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Capabilities reads the list that `ghx capabilities list --json` prints.
func Capabilities(list string) ([]Item, error) {
	var listed []struct {
		ID          string         `json:"capability_id"`
		Description string         `json:"description"`
		Required    []string       `json:"required_inputs"`
		Optional    []string       `json:"optional_inputs"`
		Detail      map[string]any `json:"optional_inputs_detail"`
	}
	if err := json.Unmarshal([]byte(list), &listed); err != nil {
		return nil, fmt.Errorf("the list of capabilities cannot be read: %w", err)
	}
	var items []Item
	for _, c := range listed[:min(MaxItems, len(listed))] {
		item := Item{Kind: Capability, Name: Clean(c.ID, MaxName), Description: Clean(c.Description, MaxText), Parameters: []Parameter{}}
		for _, name := range c.Required {
			item.Parameters = append(item.Parameters, NewParameter(name, true, nil))
		}
		for _, name := range c.Optional {
			item.Parameters = append(item.Parameters, NewParameter(name, false, c.Detail[name]))
		}
		item.Parameters = item.Parameters[:min(MaxParameters, len(item.Parameters))]
		slices.SortFunc(item.Parameters, byName)
		items = append(items, item)
	}
	return items, nil
}
