package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"
)

const (
	longest  = 64 * 1024              // bytes of an answer
	ahead    = 256                    // lines, and messages of questions, that may wait
	lastWait = 500 * time.Millisecond // for a program to end when its input has
	hintWait = 3 * time.Second        // without an answer, after which the log gets a hint; the clock may be sooner
)

// child is the program. It is written to and read from at once, each in a goroutine of its own:
// whoever waits for one end of two full pipes before turning to the other waits for ever.
type child struct {
	command  *exec.Cmd
	stdin    io.WriteCloser
	asking   chan []byte
	lines    chan string // its answers; closed when its output ends
	broken   error       // why reading ended, known when lines is closed
	ended    chan struct{}
	unread   atomic.Int64 // bytes of questions that the program's pipe has not taken yet
	asked    int
	answered int
	hinted   bool
}

// start runs the program with some more variables, and without those that are the bridge's own.
func start(command []string, variables []string) (*child, error) {
	c := &child{
		command: exec.Command(command[0], command[1:]...),
		asking:  make(chan []byte, ahead),
		lines:   make(chan string, ahead),
		ended:   make(chan struct{}),
	}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if name != "KNOCKBOX_REFEREE" && name != "KNOCKBOX_TICKET" {
			c.command.Env = append(c.command.Env, variable)
		}
	}
	c.command.Env = append(append(c.command.Env, "PYTHONUNBUFFERED=1"), variables...)
	c.command.Stderr = os.Stderr
	stdin, stdout, err := c.pipes()
	if err == nil {
		err = c.command.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("knockbox-bridge: the program does not start: %w", err)
	}
	c.stdin = stdin
	go c.write()
	go c.read(stdout)
	return c, nil
}

func (c *child) pipes() (io.WriteCloser, io.Reader, error) {
	stdin, err := c.command.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	stdout, err := c.command.StdoutPipe()
	return stdin, stdout, err
}

// write hands over questions until there are no more. A program that does not read any more is
// found out by what it does not answer.
func (c *child) write() {
	for text := range c.asking {
		_, _ = c.stdin.Write(text)
		c.unread.Add(-int64(len(text)))
	}
	c.stdin.Close()
}

// read takes answers until there are no more, and then waits for the program's end.
func (c *child) read(stdout io.Reader) {
	scanner := bufio.NewScanner(stdout)
	scanner.Buffer(make([]byte, 4096), longest)
	for scanner.Scan() {
		c.lines <- scanner.Text()
	}
	c.broken = scanner.Err()
	close(c.lines)
	_ = c.command.Wait()
	close(c.ended)
}

// ask hands over questions. The program must not have said anything that nobody asked for.
func (c *child) ask(questions []string) error {
	select {
	case line, open := <-c.lines:
		if !open {
			return c.gone(len(questions))
		}
		return c.failed("knockbox-bridge: the program wrote a line that no question asked for: %s\n  "+
			"one line for each question; whatever else it has to say goes to standard error", shown(line))
	default:
	}
	text := []byte(strings.Join(questions, "\n") + "\n")
	c.asked += len(questions)
	c.unread.Add(int64(len(text)))
	select {
	case c.asking <- text:
		return nil
	default: // it answers without reading
		return c.failed("%s", c.silence(0))
	}
}

// next is the next answer, which may take so long; 0: for ever.
func (c *child) next(wait time.Duration) (string, error) {
	soon := hintWait
	if wait > 0 {
		soon = min(wait, hintWait)
	}
	timer := time.NewTimer(soon)
	defer timer.Stop()
	for {
		select {
		case line, open := <-c.lines:
			if !open {
				return "", c.gone(c.asked - c.answered)
			}
			c.answered++
			return line, nil
		case <-timer.C:
			if soon == wait {
				return "", c.failed("%s", c.silence(wait))
			}
			if !c.hinted {
				fmt.Fprintln(os.Stderr, c.silence(soon))
				c.hinted = true
			}
			if wait > 0 {
				timer.Reset(wait - soon)
			}
			soon = wait
		}
	}
}

// gone: its output has ended, with so many questions open.
func (c *child) gone(open int) error {
	how := "closed its standard output"
	if errors.Is(c.broken, bufio.ErrTooLong) {
		how = fmt.Sprintf("wrote a line of more than %d bytes, which is no answer", longest)
	} else {
		select {
		case <-c.ended:
			how = "ended (" + c.command.ProcessState.String() + ")"
		case <-time.After(lastWait):
		}
	}
	return c.failed("knockbox-bridge: the program %s with %d questions to answer, after %d answers; "+
		"it has to go on until its standard input ends", how, open, c.answered)
}

// failed ends the program, and the bridge with it.
func (c *child) failed(format string, values ...any) error {
	_ = c.command.Process.Kill()
	return fmt.Errorf(format, values...)
}

// end closes the program's input and gives it a moment to end by itself.
func (c *child) end() {
	close(c.asking)
	go func() {
		for range c.lines { // whatever it still says
		}
	}()
	select {
	case <-c.ended:
	case <-time.After(lastWait):
		_ = c.command.Process.Kill()
	}
}
