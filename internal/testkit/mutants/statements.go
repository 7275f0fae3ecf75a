package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// statements leaves out each statement of a list that can be.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		if f.removable(s) {
			f.remove(s)
		}
	}
}

func (f *finder) removable(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ExprStmt:
		call, is := s.X.(*ast.CallExpr)
		return !is || !f.logs(call) && !f.isBuiltin(call, "panic") && !unseen(call, "Lock", "Unlock", "RLock", "RUnlock", "Grow")
	case *ast.AssignStmt:
		return s.Tok != token.DEFINE && slices.ContainsFunc(s.Lhs, func(to ast.Expr) bool {
			name, is := to.(*ast.Ident)
			return !is || name.Name != "_"
		})
	case *ast.DeferStmt:
		return !unseen(s.Call, "Unlock", "RUnlock", "Close") && !strings.HasPrefix(called(s.Call), "cancel")
	case *ast.IncDecStmt, *ast.SendStmt, *ast.GoStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.BREAK || s.Tok == token.CONTINUE
	case *ast.ReturnStmt:
		return f.results.NumFields() == 0
	default:
		return false
	}
}

// unseen reports whether a call is one whose absence a test cannot see, or
// only by chance: locks, room for more, and what is let go.
func unseen(call *ast.CallExpr, names ...string) bool {
	return slices.Contains(names, called(call))
}

// logs reports whether a call writes a line of package log/slog. As is usual where code is
// broken on purpose, neither that nor what it is given is changed: of a line that nothing
// reads a test would say only what the code says.
func (f *finder) logs(call *ast.CallExpr) bool {
	selector, is := call.Fun.(*ast.SelectorExpr)
	if !is {
		return false
	}
	function, is := f.target.info.Uses[selector.Sel].(*types.Func)
	return is && function.Pkg() != nil && function.Pkg().Path() == "log/slog" && slices.Contains(logging, strings.TrimSuffix(function.Name(), "Context"))
}

// logging are the functions, and the methods of a logger, that write a line.
var logging = []string{"Debug", "Info", "Warn", "Error", "Log", "LogAttrs"}

// called is the name of what is called, without its package or value.
func called(call *ast.CallExpr) string {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	default:
		return ""
	}
}

// neverRuns has a loop end before its first turn.
func (f *finder) neverRuns(loop *ast.RangeStmt) {
	inside := loop.Body.Lbrace + 1
	m := f.addRange(inside, inside, "loop never runs", " break;", " if "+on+" { break }; ", "")
	m.position = f.set.Position(loop.For)
	m.lastLine = m.position.Line
	m.before = onOneLine("for … range " + f.text(loop.X))
	m.after = "nothing"
}

// returned finds the mutants in results. Beside an error that is made on the
// spot nobody looks at the others.
func (f *finder) returned(s *ast.ReturnStmt) {
	for i, e := range s.Results {
		switch {
		case makesError(s) && i < len(s.Results)-1:
		case f.isBool(e):
			f.condition(e, true, true)
		default:
			f.walk(e)
		}
	}
}

// zeroReturned has a function return a zero value, such as no error, in the
// place of each of its results. Conditions and numbers have other mutants.
func (f *finder) zeroReturned(s *ast.ReturnStmt) {
	zeros := f.zeroResults()
	switch {
	case len(s.Results) == 0 || len(zeros) == 0:
		return
	case len(s.Results) < len(zeros):
		f.replaceStatement(s, "zero values returned", "return "+strings.Join(zeros, ", "))
		return
	}
	texts := make([]string, len(s.Results))
	for i, e := range s.Results {
		texts[i] = f.text(e)
	}
	for i, e := range s.Results {
		literal, is := e.(*ast.BasicLit)
		if f.isBool(e) || f.isZero(e) || is && literal.Kind != token.STRING || makesError(s) && i < len(s.Results)-1 {
			continue
		}
		mutated := slices.Clone(texts)
		mutated[i] = zeros[i]
		f.replaceStatement(s, "zero value returned", "return "+strings.Join(mutated, ", "))
	}
}

// makesError reports whether the last of some results is an error that is made
// there, as fmt.Errorf, errors.New and fault.Invalidf do.
func makesError(s *ast.ReturnStmt) bool {
	if len(s.Results) == 0 {
		return false
	}
	call, is := s.Results[len(s.Results)-1].(*ast.CallExpr)
	return is && (called(call) == "New" || len(call.Args) > 0 && strings.HasSuffix(called(call), "f"))
}

// zeroResults are the zero values of the results of the function around.
func (f *finder) zeroResults() []string {
	var zeros []string
	if f.results == nil {
		return nil
	}
	for _, field := range f.results.List {
		for range max(1, len(field.Names)) {
			zeros = append(zeros, zero(f.target.info.Types[field.Type].Type, f.text(field.Type)))
		}
	}
	return zeros
}
