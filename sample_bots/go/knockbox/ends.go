package knockbox

import (
	"fmt"
	"strings"
	"unicode"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// How a connection can end, and what that means.

// botError is an error of the bot, which ends the program, whatever the connection does.
type botError struct{ error }

// mayComeBack: after such an end another connection may do better. nil: the referee said OK.
func mayComeBack(err error) bool {
	if err == nil {
		return false
	}
	switch status.Code(err) {
	case codes.Unavailable, codes.Unknown, codes.Internal, codes.Canceled:
		return true
	}
	return false
}

// told is the end of a leg that has no result, in words.
func told(err error) error {
	if err == nil {
		return fmt.Errorf("knockbox: the referee ended the leg without a result")
	}
	end := status.Convert(err)
	return fmt.Errorf("knockbox: %s: %s", upper(end.Code().String()), end.Message())
}

// upper is the name of a code as the protocol writes it: FailedPrecondition is FAILED_PRECONDITION.
func upper(name string) string {
	var out strings.Builder
	for at, letter := range name {
		if at > 0 && unicode.IsUpper(letter) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToUpper(letter))
	}
	return out.String()
}
