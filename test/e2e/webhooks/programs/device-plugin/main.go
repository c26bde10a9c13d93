// Judges configurations of NVIDIA's device plugin in ConfigMaps as the plugin does when it starts: it reads the file, and asks whether
// it knows the strategies of the device list and the IMEX channels. What it asks of the other flags is in its `main` package, which no
// program can import.
package main

import (
	"encoding/json"
	"flag"
	"os"

	cli "github.com/urfave/cli/v2"

	spec "github.com/NVIDIA/k8s-device-plugin/api/config/v1"

	"gantry/judge/embedded"
	"gantry/judge/verdict"
)

func main() {
	verdict.Serve(func(question verdict.Question) error {
		text, err := embedded.Text(question.Object)
		if err != nil {
			return err
		}
		config, err := read(text)
		if err != nil {
			return err
		}
		spec.DisableResourceNamingInConfig(config)
		strategies, err := strategiesOf(config)
		if err != nil {
			return err
		}
		if _, err := spec.NewDeviceListStrategies(strategies); err != nil {
			return err
		}
		return spec.AssertChannelIDsValid(config.Imex.ChannelIDs)
	})
}

// read reads a configuration from a file, as the plugin does without any flag.
func read(text string) (*spec.Config, error) {
	file, err := os.CreateTemp("", "config")
	must(err)
	defer os.Remove(file.Name())
	_, err = file.WriteString(text)
	must(err)
	must(file.Close())
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.String("config-file", file.Name(), "")
	return spec.NewConfig(cli.NewContext(cli.NewApp(), flags, nil), nil)
}

// strategiesOf are those of a device list, whose type has no name outside of its package.
func strategiesOf(config *spec.Config) ([]string, error) {
	if config.Flags.Plugin == nil || config.Flags.Plugin.DeviceListStrategy == nil {
		return nil, nil
	}
	plain, err := json.Marshal(config.Flags.Plugin.DeviceListStrategy)
	if err != nil {
		return nil, err
	}
	var strategies []string
	return strategies, json.Unmarshal(plain, &strategies)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
