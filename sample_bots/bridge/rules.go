package main

import (
	"encoding/json"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"knockbox"
)

// rulesJSON is the ruleset as docs/rules.md writes it: one object, every field under its name, words
// for what has a name, null for what there is not.
func rulesJSON(rules *knockbox.Ruleset) string {
	told := map[string]any{}
	message := rules.ProtoReflect()
	fields := message.Descriptor().Fields()
	for at := range fields.Len() {
		field := fields.Get(at)
		told[string(field.Name())] = valueOf(message, field)
	}
	text, _ := json.Marshal(told)
	return string(text)
}

func valueOf(message protoreflect.Message, field protoreflect.FieldDescriptor) any {
	value := message.Get(field)
	// A fixed limit is at least 1 where there is one.
	if field.HasPresence() || field.Name() == "fixed_limit" {
		if !message.Has(field) {
			return nil
		}
	}
	if field.Kind() != protoreflect.EnumKind {
		return value.Interface()
	}
	if value.Enum() == 0 {
		return nil
	}
	names := field.Enum().Values()
	prefix := strings.TrimSuffix(string(names.Get(0).Name()), "UNSPECIFIED")
	name := string(names.ByNumber(value.Enum()).Name())
	return strings.ToLower(strings.TrimPrefix(name, prefix))
}
