package housetest

import (
	"fmt"
	"go/ast"
	"slices"
)

func outsideIsForWiring(m module) (breaches []string) {
	for _, p := range m {
		if within(p.folder, wiring...) || within(p.folder, "internal/testkit/...") {
			continue
		}
		for _, f := range p.files {
			names := f.imports()
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				selector, is := n.(*ast.SelectorExpr)
				if !is {
					return true
				}
				if x, is := selector.X.(*ast.Ident); is && slices.Contains(outside[names[x.Name]], selector.Sel.Name) {
					breaches = append(breaches, fmt.Sprintf("%s uses %s.%s, which only cmd and internal/cli may: take it as a parameter",
						f.at(n), names[x.Name], selector.Sel.Name))
				}
				return true
			})
		}
	}
	return breaches
}

func onePackageComment(m module) (breaches []string) {
	for _, p := range m {
		var with []string
		for _, f := range p.files {
			if f.syntax.Doc != nil {
				with = append(with, f.name)
			}
		}
		if len(with) != 1 {
			breaches = append(breaches, fmt.Sprintf("%s has %d package comments %v, want one", p.folder, len(with), with))
		}
	}
	return breaches
}

func noInit(m module) (breaches []string) {
	for _, p := range m {
		for _, f := range p.files {
			for _, declaration := range f.syntax.Decls {
				if function, is := declaration.(*ast.FuncDecl); is && function.Recv == nil && function.Name.Name == "init" {
					breaches = append(breaches, f.at(function)+" is an init function: have the caller do this")
				}
			}
		}
	}
	return breaches
}

func filesAreShort(m module) (breaches []string) {
	for _, p := range m {
		for _, f := range p.files {
			if f.lines() > maxLines {
				breaches = append(breaches, fmt.Sprintf("%s has %d lines, want at most %d", f.name, f.lines(), maxLines))
			}
		}
	}
	return breaches
}

// interfacesAreSmall counts the methods that an interface lists; those of
// embedded ones are counted where they are declared.
func interfacesAreSmall(m module) (breaches []string) {
	for _, p := range m {
		for _, f := range p.files {
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				declared, is := n.(*ast.InterfaceType)
				if !is {
					return true
				}
				methods := 0
				for _, field := range declared.Methods.List {
					methods += len(field.Names)
				}
				if methods > maxMethods {
					breaches = append(breaches, fmt.Sprintf("%s: the interface has %d methods, want one to %d", f.at(n), methods, maxMethods))
				}
				return true
			})
		}
	}
	return breaches
}
