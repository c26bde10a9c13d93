// The first process of a namespace of processes: it waits until it is asked to end, and buries the processes that nobody waits for.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	asked := make(chan os.Signal, 1)
	ended := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGINT, syscall.SIGTERM)
	signal.Notify(ended, syscall.SIGCHLD)
	for {
		select {
		case <-asked:
			return
		case <-ended:
			for pid := 1; pid > 0; {
				pid, _ = syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			}
		}
	}
}
