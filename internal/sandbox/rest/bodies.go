package rest

import (
	"bytes"
	"encoding/json"
	"strings"

	"golang.org/x/net/html"
)

// mediaOfBodies are the media types that say in what form a client wants what people have
// written: https://docs.github.com/rest/using-the-rest-api/getting-started-with-the-rest-api#media-types
var mediaOfBodies = []string{"full", "html", "text"}

// inMedia returns an answer with bodies in the form that the client asks for, and which
// that is; empty for the usual one, in which they are Markdown.
func (c *call) inMedia(answer []byte) ([]byte, string, error) {
	media := c.accepted(mediaOfBodies...)
	if media == "" {
		return answer, "", nil
	}
	read := json.NewDecoder(bytes.NewReader(answer))
	read.UseNumber()
	var value any
	if err := read.Decode(&value); err != nil {
		return nil, "", err
	}
	if err := c.renderBodies(value, media); err != nil {
		return nil, "", err
	}
	rendered, err := encode(value)
	return rendered, media, err
}

// renderBodies renders the body of everything that people have written, which has a page.
func (c *call) renderBodies(value any, media string) error {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			if err := c.renderBodies(item, media); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, part := range value {
			if err := c.renderBodies(part, media); err != nil {
				return err
			}
		}
		if _, has := value["body"]; has && value["html_url"] != nil {
			return c.renderBody(value, media)
		}
	}
	return nil
}

// renderBody renders a body; where nobody has written one there is nothing else.
func (c *call) renderBody(in map[string]any, media string) error {
	written, is := in["body"].(string)
	if !is {
		return nil
	}
	page, _ := in["html_url"].(string)
	parts := strings.Split(strings.TrimPrefix(page, htmlURL+"/"), "/")
	rendered, err := c.commentHTML(written, strings.Join(parts[:min(len(parts), 2)], "/"))
	if err != nil {
		return err
	}
	if media != "text" {
		in["body_html"] = string(rendered)
	}
	if media != "html" {
		in["body_text"] = textOf(rendered)
	}
	if media != "full" {
		delete(in, "body")
	}
	return nil
}

// textOf is what is read of HTML.
func textOf(rendered []byte) string {
	var text strings.Builder
	for tokens := html.NewTokenizer(bytes.NewReader(rendered)); ; {
		switch tokens.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(text.String())
		case html.TextToken:
			text.Write(tokens.Text())
		default:
		}
	}
}
