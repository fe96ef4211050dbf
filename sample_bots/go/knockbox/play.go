package knockbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"knockbox/stubs"
)

// The only file that knows gRPC. The loop knows nothing of clocks and chance: the same questions get
// the same answers. Time is used to wait for a referee that is not there yet, and crypto/rand for
// the nonce of the shuffle.

const (
	sdk           = "knockbox-go/1"
	protocol      = 1
	startTime     = 10 * time.Second
	reconnections = 20
	method        = "/knockbox.v1.PlayService/Play"
	byHand        = `This program is a Knockbox bot: Knockbox starts it and tells it where the referee is
(KNOCKBOX_REFEREE, KNOCKBOX_TICKET). To see it play:

    knockbox match THIS_FOLDER OTHER_BOTS_FOLDER`
)

// Leg plays one seat in all games of a leg.
type Leg interface {
	// Joined comes first, before any card is dealt, and once.
	Joined(seat Seat) error
	// Answer has an answer for each of the states, in their order.
	Answer(states []*State) ([]Action, error)
	// GameStarted tells of a game when its first deal begins, whether or not it is asked about.
	GameStarted(board int)
	// DealOver tells how a deal ended.
	DealOver(result DealResult)
}

// Setting is something that Run may be told besides.
type Setting func(*stubs.Ready)

// MaxBoards is the most games wanted at once.
func MaxBoards(most int) Setting { return func(ready *stubs.Ready) { ready.MaxBoards = uint32(most) } }

// WithoutDeadwood: the referee sends no deadwood.
func WithoutDeadwood() Setting { return func(ready *stubs.Ready) { ready.WantDeadwood = false } }

// connections is one leg, over as many connections as it takes.
type connections struct {
	name   string
	leg    Leg
	ready  *stubs.Ready
	boards map[uint32]*board
	me     *Seat
	over   bool
	last   map[uint32]Action
}

// play plays to the end. Its error is for the person who reads the bot's log.
func play(name string, leg Leg, settings []Setting) error {
	address, ticket := os.Getenv("KNOCKBOX_REFEREE"), os.Getenv("KNOCKBOX_TICKET")
	if address == "" || ticket == "" {
		return errors.New(byHand)
	}
	ready := &stubs.Ready{Nonce: make([]byte, 16), WantDeadwood: true}
	rand.Read(ready.Nonce)
	for _, set := range settings {
		set(ready)
	}
	c := &connections{name: name, leg: leg, ready: ready, boards: map[uint32]*board{}}
	deadline := time.Now().Add(startTime)
	for lost := 0; ; {
		err := c.connect(address, ticket)
		var failed *botError
		if errors.As(err, &failed) {
			return failed.error
		}
		if c.over {
			return nil
		}
		pause, late := 50*time.Millisecond, time.Now().After(deadline)
		if c.me != nil {
			lost++
			pause, late = 100*time.Millisecond, lost > reconnections
		}
		if late || !mayComeBack(err) {
			return told(err)
		}
		time.Sleep(pause)
	}
}

// connect plays over one connection, until it ends. nil: it ended with OK.
func (c *connections) connect(address, ticket string) error {
	connection, err := grpc.NewClient(address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithAuthority("localhost"),
		grpc.WithNoProxy(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)),
	)
	if err != nil {
		return err
	}
	defer connection.Close()
	description := &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}
	stream, err := connection.NewStream(context.Background(), description, method)
	if err != nil {
		return err
	}
	join := &stubs.Join{Ticket: ticket, Sdk: c.name, Protocol: protocol}
	next := &stubs.PlayRequest{Message: &stubs.PlayRequest_Join{Join: join}}
	for {
		if next != nil {
			stream.SendMsg(next) // where it fails the stream is over, and receiving says why
		} else {
			stream.CloseSend()
		}
		response := &stubs.PlayResponse{}
		if err := stream.RecvMsg(response); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if next, err = c.answer(response); err != nil {
			return &botError{err}
		}
	}
}

// answer is the request that follows a response; nil half-closes.
func (c *connections) answer(response *stubs.PlayResponse) (*stubs.PlayRequest, error) {
	switch message := response.Message.(type) {
	case *stubs.PlayResponse_Turns:
		actions, err := c.decide(message.Turns)
		return &stubs.PlayRequest{Message: &stubs.PlayRequest_Actions{Actions: actions}}, err
	case *stubs.PlayResponse_Welcome:
		err := c.welcome(message.Welcome)
		return &stubs.PlayRequest{Message: &stubs.PlayRequest_Ready{Ready: c.ready}}, err
	case *stubs.PlayResponse_MatchOver:
		over := message.MatchOver
		c.hear(over.DealsStarted, over.DealsOver)
		c.over = true
		if over.Reason != stubs.Reason_REASON_PLAYED {
			reason := word(over.Reason.String(), "REASON_")
			fmt.Fprintf(os.Stderr, "knockbox: the leg ended by %s\n", reason)
		}
	}
	return nil, nil
}

func (c *connections) welcome(welcome *stubs.Welcome) error {
	again := c.me != nil
	c.me = &Seat{int(welcome.Seat), welcome.GetRules(), welcome.GetClock().GetUntimed()}
	if again {
		return nil
	}
	return c.leg.Joined(*c.me)
}

func (c *connections) decide(turns *stubs.Turns) (*stubs.Actions, error) {
	for _, refused := range turns.Refused {
		var answer *Action
		if refused.Decision != nil {
			if last, known := c.last[*refused.Decision]; known {
				answer = &last
			}
		}
		fmt.Fprintln(os.Stderr, refusal(answer, refused.Code))
	}
	c.hear(turns.DealsStarted, turns.DealsOver)
	states := make([]*State, len(turns.Turns))
	for at, turn := range turns.Turns {
		board := c.boards[turn.Board]
		board.hear(turn)
		states[at] = newState(c.me, board, turn, turns.ClockLeftMs)
	}
	actions, err := c.leg.Answer(states)
	if err != nil {
		return nil, err
	}
	out := &stubs.Actions{Actions: make([]*stubs.Action, len(actions))}
	c.last = make(map[uint32]Action, len(actions))
	for at, action := range actions {
		c.last[action.decision] = action
		out.Actions[at] = action.message()
	}
	return out, nil
}

func (c *connections) hear(started []*stubs.DealStarted, ended []*stubs.DealOver) {
	for _, deal := range started {
		if c.boards[deal.Board] == nil {
			c.boards[deal.Board] = &board{}
			c.leg.GameStarted(int(deal.Board))
		}
		c.boards[deal.Board].begin(deal)
	}
	for _, deal := range ended {
		c.leg.DealOver(resultOf(deal))
	}
}
