package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"knockbox"
)

// The names that answer, and those that may stand beside.
var (
	withCard = []string{"discard", "knock"}
	choices  = append([]string{"take", "draw", "decline", "big_gin", "lay_off", "otherwise"}, withCard...)
	besides  = []string{"melds", "layoffs", "note"}
)

const hint = `an answer is one object like {"discard":"KC"} or {"draw":true}; ` +
	`whatever else a program has to say goes to standard error`

// answer reads a line as the answer to a question.
func answer(state *knockbox.State, line string) (knockbox.Action, error) {
	members, err := object(line)
	if err != nil {
		return knockbox.Action{}, fmt.Errorf("%w; %s", err, hint)
	}
	choice, err := chosen(members)
	if err != nil {
		return knockbox.Action{}, fmt.Errorf("%w; %s", err, hint)
	}
	options, err := options(members)
	if err != nil {
		return knockbox.Action{}, err
	}
	if slices.Contains(withCard, choice) {
		var card string
		if json.Unmarshal(members[choice], &card) != nil {
			return knockbox.Action{}, fmt.Errorf(`"%s" takes a card, like {"%s":"KC"}`, choice, choice)
		}
		if choice == "knock" {
			return state.Knock(card, options...)
		}
		return state.Discard(card, options...)
	}
	if string(members[choice]) != "true" {
		return knockbox.Action{}, fmt.Errorf(`"%s" takes true, like {"%s":true}`, choice, choice)
	}
	if choice == "otherwise" && (members["melds"] != nil || members["layoffs"] != nil) {
		return knockbox.Action{}, errors.New(`"otherwise" takes no melds and no layoffs; "lay_off" does`)
	}
	return map[string]func(...knockbox.Option) (knockbox.Action, error){
		"take": state.Take, "draw": state.Draw, "decline": state.Decline,
		"big_gin": state.BigGin, "lay_off": state.LayOff, "otherwise": state.Otherwise,
	}[choice](options...)
}

// object reads a line that is one JSON object and nothing else, each member once.
func object(line string) (map[string]json.RawMessage, error) {
	if !utf8.ValidString(line) {
		return nil, errors.New("it is not UTF-8")
	}
	decoder := json.NewDecoder(strings.NewReader(line))
	if first, err := decoder.Token(); err != nil {
		return nil, errors.New("it is not JSON")
	} else if first != json.Delim('{') {
		return nil, errors.New("it is no JSON object")
	}
	members := map[string]json.RawMessage{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, errors.New("it is not JSON")
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, errors.New("it is not JSON")
		}
		key := name.(string)
		if _, twice := members[key]; twice {
			return nil, fmt.Errorf("%q stands in it twice", key)
		}
		members[key] = value
	}
	if _, err := decoder.Token(); err != nil {
		return nil, errors.New("it is not JSON")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the object")
	}
	return members, nil
}

// chosen is the one member that answers.
func chosen(members map[string]json.RawMessage) (string, error) {
	choice := ""
	for name := range members {
		switch {
		case slices.Contains(besides, name):
		case !slices.Contains(choices, name):
			return "", fmt.Errorf("%q is unknown; an answer has one of %s, and may have %s",
				name, strings.Join(choices, " "), strings.Join(besides, " "))
		case choice != "":
			return "", fmt.Errorf("it answers twice, %q and %q", min(choice, name), max(choice, name))
		default:
			choice = name
		}
	}
	if choice == "" {
		return "", fmt.Errorf("it answers nothing; an answer has one of %s", strings.Join(choices, " "))
	}
	return choice, nil
}

// options is what an answer says besides.
func options(members map[string]json.RawMessage) ([]knockbox.Option, error) {
	var options []knockbox.Option
	if raw, there := members["melds"]; there {
		var melds [][]string
		if json.Unmarshal(raw, &melds) != nil || melds == nil || slices.ContainsFunc(melds, none) {
			return nil, errors.New(`"melds" are lists of cards, like [["3C","4C","5C"]]`)
		}
		options = append(options, knockbox.Melds(melds...))
	}
	if raw, there := members["layoffs"]; there {
		var layoffs map[string]int
		if json.Unmarshal(raw, &layoffs) != nil || layoffs == nil {
			return nil, errors.New(`"layoffs" are cards with their melds' numbers, like {"7C":0}`)
		}
		options = append(options, knockbox.Layoffs(layoffs))
	}
	if raw, there := members["note"]; there {
		var note *string
		if json.Unmarshal(raw, &note) != nil || note == nil {
			return nil, errors.New(`"note" is a text`)
		}
		options = append(options, knockbox.Note(*note))
	}
	return options, nil
}

func none(meld []string) bool { return meld == nil }
