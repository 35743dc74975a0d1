// GET requests with Go's net/http, whose bodies are decoded. Takes the options of the other programs and
// prints the same line of JSON as their Outcome.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

type board struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
}

type usage struct {
	cpuSeconds float64
	peakBytes  int64
}

func currentUsage() usage {
	var found syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &found) != nil {
		return usage{}
	}
	time := func(value syscall.Timeval) float64 { return float64(value.Sec) + float64(value.Usec)/1e6 }
	return usage{time(found.Utime) + time(found.Stime), found.Maxrss * 1024}
}

func option(name string, fallback string) string {
	for index := 2; index+1 < len(os.Args); index += 2 {
		if os.Args[index] == "--"+name {
			return os.Args[index+1]
		}
	}
	return fallback
}

func number(name string) int {
	value, err := strconv.Atoi(option(name, "0"))
	if err != nil {
		return 0
	}
	return value
}

func get(client *http.Client, address string, number int64) error {
	request, err := http.NewRequest("GET", fmt.Sprintf("%sboards/%d", address, number), nil)
	if err != nil {
		return err
	}
	// Go decodes gzip only if it has added the field itself.
	request.Header.Set("Accept-Language", "en-001")
	request.Header.Set("User-Agent", "benchmark (Debian GNU/Linux 12 bookworm) Catena")
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var found board
	if err := json.NewDecoder(response.Body).Decode(&found); err != nil {
		return err
	}
	if response.StatusCode != 200 || found.ID != 7 {
		return fmt.Errorf("status %d, id %d", response.StatusCode, found.ID)
	}
	return nil
}

func gets(client *http.Client, count int64, atOnce int) int64 {
	var next, failures int64
	var lanes sync.WaitGroup
	for lane := 0; lane < atOnce; lane++ {
		lanes.Add(1)
		go func() {
			defer lanes.Done()
			for {
				number := atomic.AddInt64(&next, 1) - 1
				if number >= count {
					return
				}
				if get(client, option("url", ""), number) != nil {
					atomic.AddInt64(&failures, 1)
				}
			}
		}()
	}
	lanes.Wait()
	return failures
}

func main() {
	atOnce, requests := max(number("at-once"), 1), int64(number("requests"))
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: atOnce}}
	gets(client, int64(number("warm-up")), atOnce)
	before, start := currentUsage(), time.Now()
	failures := gets(client, requests, atOnce)
	seconds, after := time.Since(start).Seconds(), currentUsage()
	outcome, _ := json.Marshal(map[string]any{
		"requests": requests, "failures": failures, "seconds": seconds,
		"cpuSeconds": after.cpuSeconds - before.cpuSeconds, "instructions": 0,
		"peakBytes": after.peakBytes, "growthBytes": after.peakBytes - before.peakBytes,
	})
	fmt.Println(string(outcome))
	if failures > 0 {
		os.Exit(1)
	}
}
