package main

import (
	"fmt"
	"strconv"
	"time"
)

const flushing = `
Programs keep back what they write into a pipe until it is about 4 kB; an answer has to leave at once:
  Perl     $| = 1;
  Python   print(answer, flush=True)   (unless it was told otherwise, PYTHONUNBUFFERED=1 does it)
  jq       jq --unbuffered
  awk      mawk -W interactive; gawk, busybox: fflush() after print
  C        setvbuf(stdout, NULL, _IOLBF, 0)
  Ruby     $stdout.sync = true
  Lua      io.stdout:setvbuf("line")
  sed      sed -u
  others   stdbuf -oL PROGRAM`

// silence says why a program is given up that has not answered for too long.
func (c *child) silence(wait time.Duration) string {
	if c.unread.Load() > 0 && (c.answered == 0 || wait == 0) {
		return fmt.Sprintf("knockbox-bridge: the program does not read its standard input, which is full: "+
			"every question is a line there. It was asked %d and has answered %d.", c.asked, c.answered)
	}
	text := fmt.Sprintf("knockbox-bridge: no answer for %v: the program was asked %d questions and "+
		"has answered %d of them.", wait, c.asked, c.answered)
	if c.answered > 0 {
		text += " It thinks too long (--wait SECONDS gives it more), or does not flush its output."
	} else {
		text += " It does not flush its output, or does not read its standard input to the end of a line."
	}
	return text + flushing
}

// shown is a line of the program for the log: on one line, and not too long.
func shown(line string) string {
	if len(line) > 200 {
		return strconv.QuoteToASCII(line[:200]) + "…"
	}
	return strconv.QuoteToASCII(line)
}
