package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

func (f *finder) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		f.function = functionName(d)
		if d.Body != nil {
			f.results = d.Type.Results
			f.walk(d.Body)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if values, is := spec.(*ast.ValueSpec); is {
				f.function = values.Names[0].Name
				f.values(d.Tok, values)
			}
		}
	}
}

// functionName is the name of a function, or of a method with its type's.
func functionName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	receiver := d.Recv.List[0].Type
	for {
		switch of := receiver.(type) {
		case *ast.StarExpr:
			receiver = of.X
		case *ast.IndexExpr:
			receiver = of.X
		case *ast.IndexListExpr:
			receiver = of.X
		case *ast.Ident:
			return of.Name + "." + d.Name.Name
		default:
			return d.Name.Name
		}
	}
}

// values finds mutants of a declaration's values. Of constants it changes
// numbers that stand alone, which takes a build of its own.
func (f *finder) values(of token.Token, spec *ast.ValueSpec) {
	for _, value := range spec.Values {
		if of == token.VAR {
			f.walk(value)
			continue
		}
		if literal, is := value.(*ast.BasicLit); is {
			if mutated, can := changedNumber(literal, +1); can {
				f.add(literal, "constant raised", mutated, "", "")
			}
		}
	}
}

func (f *finder) walk(n ast.Node) {
	ast.Inspect(n, f.visit)
}

// walkAll walks nodes that may be nil.
func walkAll[N ast.Node](f *finder, nodes ...N) {
	for _, n := range nodes {
		if any(n) != nil {
			f.walk(n)
		}
	}
}

// visit finds the mutants of a node. It reports whether the nodes below are
// still to be visited.
func (f *finder) visit(n ast.Node) bool {
	if e, is := n.(ast.Expr); is && !f.isValue(e) {
		return false
	}
	switch n := n.(type) {
	case *ast.FuncLit:
		around := f.results
		f.results = n.Type.Results
		f.walk(n.Body)
		f.results = around
		return false
	case *ast.GenDecl:
		for _, spec := range n.Specs {
			if values, is := spec.(*ast.ValueSpec); is {
				f.values(n.Tok, values)
			}
		}
		return false
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CaseClause:
		f.statements(n.Body)
	case *ast.CommClause:
		f.statements(n.Body)
	case *ast.IfStmt:
		walkAll(f, n.Init)
		f.condition(n.Cond, true, true)
		f.walk(n.Body)
		walkAll(f, n.Else)
		return false
	case *ast.ForStmt:
		walkAll(f, n.Init, n.Post)
		if n.Cond != nil {
			// One that is always true has no end.
			f.condition(n.Cond, false, true)
		}
		f.walk(n.Body)
		return false
	case *ast.RangeStmt:
		f.neverRuns(n)
	case *ast.SwitchStmt:
		walkAll(f, n.Init)
		walkAll(f, n.Tag)
		f.cases(n)
		return false
	case *ast.ReturnStmt:
		f.zeroReturned(n)
		f.returned(n)
		return false
	case ast.Expr:
		return f.expression(n)
	}
	return true
}

// isValue reports whether an expression is neither a type nor a constant that
// is calculated: parts of those stay as they are.
func (f *finder) isValue(e ast.Expr) bool {
	is := f.target.info.Types[e]
	if is.IsType() {
		return false
	}
	switch e.(type) {
	case *ast.BasicLit, *ast.Ident:
		return true
	}
	return is.Value == nil
}

// isBool reports whether an expression is true or false.
func (f *finder) isBool(e ast.Expr) bool {
	t := f.target.info.Types[e].Type
	if t == nil {
		return false
	}
	basic, is := t.Underlying().(*types.Basic)
	return is && basic.Info()&types.IsBoolean != 0
}

// cases walks the clauses of a switch.
func (f *finder) cases(s *ast.SwitchStmt) {
	for _, in := range s.Body.List {
		clause := in.(*ast.CaseClause)
		for _, value := range clause.List {
			if s.Tag == nil {
				f.condition(value, true, true)
			} else {
				f.neverMatches(value)
			}
		}
		f.statements(clause.Body)
		walkAll(f, clause.Body...)
	}
}
