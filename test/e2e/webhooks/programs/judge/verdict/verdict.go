// Package verdict is the loop of every program here. A program reads questions on standard input, one JSON object on each line, and
// prints one verdict on a line for each, in order: "accepted", "refused MESSAGE", or "unclear MESSAGE". A question is {"object": …,
// "beside": […]}: the object to judge, and the objects that the cluster already has.
package verdict

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
)

// Question is one object, and what exists beside it.
type Question struct {
	Object json.RawMessage   `json:"object"`
	Beside []json.RawMessage `json:"beside"`
}

// Kind says which kind an object is.
type Kind struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	} `json:"metadata"`
}

// KindOf reads the kind of an object.
func KindOf(object []byte) Kind {
	var kind Kind
	_ = json.Unmarshal(object, &kind)
	return kind
}

// Unclear is the error of a question that the validator has no answer to.
type Unclear struct{ Reason string }

func (u Unclear) Error() string { return u.Reason }

// Judge answers one question: nil where the project accepts the object.
type Judge func(Question) error

// Serve answers all questions, one after the other.
func Serve(judge Judge) { ServeParallel(judge, 1) }

// ServeParallel answers as many questions at a time as given, and prints the verdicts in the order of the questions.
func ServeParallel(judge Judge, parallel int) {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	// Some projects print while they validate.
	os.Stdout, _ = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	lines := readLines()
	verdicts := make([]string, len(lines))
	var waiting sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for index := range lines {
		slots <- struct{}{}
		waiting.Add(1)
		go func() {
			defer func() { <-slots; waiting.Done() }()
			verdicts[index] = verdictOn(lines[index], judge)
		}()
	}
	waiting.Wait()
	for _, line := range verdicts {
		fmt.Fprintln(out, line)
	}
}

func readLines() [][]byte {
	var lines [][]byte
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			lines = append(lines, line)
		}
		if err != nil {
			return lines
		}
	}
}

func verdictOn(line []byte, judge Judge) (verdict string) {
	// A webhook that panics answers nothing, and the server then refuses the object or not as the webhook's failure policy says.
	defer func() {
		if panicked := recover(); panicked != nil {
			verdict = "unclear panic: " + oneLine(fmt.Sprint(panicked))
		}
	}()
	var question Question
	if err := json.Unmarshal(line, &question); err != nil {
		return "unclear " + oneLine(err.Error())
	}
	err := judge(question)
	if err == nil {
		return "accepted"
	}
	if unclear, ok := err.(Unclear); ok {
		return "unclear " + oneLine(unclear.Reason)
	}
	return "refused " + oneLine(err.Error())
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
