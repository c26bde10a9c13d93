// Judges scheduler configurations of Volcano in ConfigMaps: it reads the text as the scheduler does, and opens a session with the plugins
// that it names, in an empty cluster. The scheduler keeps its configuration where it cannot read the text, and ends where a plugin cannot
// read an argument.
package main

import (
	"fmt"

	"k8s.io/klog/v2"

	"volcano.sh/volcano/cmd/scheduler/app/options"
	"volcano.sh/volcano/pkg/scheduler"
	_ "volcano.sh/volcano/pkg/scheduler/actions"
	"volcano.sh/volcano/pkg/scheduler/api/devices/nvidia/gpushare"
	"volcano.sh/volcano/pkg/scheduler/api/devices/nvidia/vgpu"
	"volcano.sh/volcano/pkg/scheduler/cache"
	"volcano.sh/volcano/pkg/scheduler/framework"
	_ "volcano.sh/volcano/pkg/scheduler/plugins"
	"volcano.sh/volcano/pkg/scheduler/plugins/predicates"

	"gantry/judge/embedded"
	"gantry/judge/verdict"
)

// ended is what klog's Fatal panics with instead of ending the process.
type ended struct{}

func main() {
	klog.LogToStderr(false)
	klog.OsExit = func(int) { panic(ended{}) }
	options.Default()
	verdict.Serve(func(question verdict.Question) error {
		text, err := embedded.Text(question.Object)
		if err != nil {
			return err
		}
		return judge(text)
	})
}

func judge(text string) (err error) {
	_, tiers, configurations, _, err := scheduler.UnmarshalSchedulerConf(text)
	if err != nil {
		return err
	}
	defer func() {
		switch panicked := recover(); panicked.(type) {
		case nil:
		case ended:
			err = fmt.Errorf("the scheduler ends")
		default:
			err = fmt.Errorf("the scheduler panics: %v", panicked)
		}
	}()
	startAgain()
	framework.CloseSession(framework.OpenSession(cache.NewDefaultMockSchedulerCache("volcano"), tiers, configurations))
	return nil
}

// Plugins keep arguments in variables of their packages, and a scheduler that starts has none of those of the last question.
func startAgain() {
	gpushare.GpuSharingEnable, gpushare.GpuNumberEnable, vgpu.VGPUEnable = false, false, false
	predicates.ResetVolumeBindingPluginForTest()
}
