// knockbox-bridge plays for a program in any language, which reads questions and writes answers, a
// line of JSON each:
//
//	knockbox-bridge [--wait SECONDS] [--trace] -- PROGRAM [ARGUMENT…]
//
// It talks to the referee as every bot does; README.md describes the lines.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"knockbox"
)

const usage = `usage: knockbox-bridge [--wait SECONDS] [--trace] -- PROGRAM [ARGUMENT…]

Starts the program and asks it: every line on its standard input is a question, a JSON object, and
every line on its standard output an answer, like {"discard":"KC"}.

  --wait SECONDS  the most between two answers (10); 0: for ever
  --trace         print each question, and how each deal ended
`

func main() {
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage) }
	wait := flag.Float64("wait", 10, "")
	trace := flag.Bool("trace", false, "")
	flag.Parse()
	if flag.NArg() == 0 || *wait < 0 {
		flag.Usage()
		os.Exit(2)
	}
	leg := &bridge{
		command: flag.Args(),
		wait:    time.Duration(*wait * float64(time.Second)),
		trace:   *trace,
	}
	knockbox.RunLeg("knockbox-bridge/1", leg)
	leg.end()
}
