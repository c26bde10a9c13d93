// Reads lines of JSON: a rule of a part of a schema, or the selector of a device. Prints for each what it may cost at most and how often a value of
// the part can occur in one request, or "error" for an expression that does not compile.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	dracel "k8s.io/dynamic-resource-allocation/cel"
)

type line struct {
	Schema   *v1.JSONSchemaProps `json:"schema"`
	Rule     string              `json:"rule"`
	IsRoot   bool                `json:"isRoot"`
	Selector string              `json:"selector"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<26)
	env := environment.MustBaseEnvSet(version.MajorMinor(1, 36))
	newEnv := environment.NewExpressions
	for in.Scan() {
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			panic(err)
		}
		if l.Schema == nil {
			r := dracel.GetCompiler(dracel.Features{EnableConsumableCapacity: true}).CompileCELExpression(l.Selector, dracel.Options{EnvType: &newEnv})
			if r.Error != nil {
				fmt.Println("error")
				continue
			}
			fmt.Println(r.MaxCost, 1)
			continue
		}
		internal := &apiextensions.JSONSchemaProps{}
		if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(l.Schema, internal, nil); err != nil {
			panic(err)
		}
		s, err := schema.NewStructural(internal)
		if err != nil {
			fmt.Println("error")
			continue
		}
		s.XValidations = v1.ValidationRules{{Rule: l.Rule}}
		r, err := cel.Compile(s, model.SchemaDeclType(s, l.IsRoot), celconfig.PerCallLimit, env, cel.NewExpressionsEnvLoader())
		if err != nil {
			fmt.Println("error")
			continue
		}
		if r[0].Error != nil {
			fmt.Println("error")
			continue
		}
		fmt.Println(r[0].MaxCost, r[0].MaxCardinality)
	}
}
