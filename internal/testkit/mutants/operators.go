package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// condition has each part of a condition be always true and always false. What
// another part's mutants do as well is left out: `a && b` is false with a, and
// negating it, or an || in its place, is noticed wherever `a` and `b` alone are.
func (f *finder) condition(e ast.Expr, alwaysTrue, alwaysFalse bool) {
	e = ast.Unparen(e)
	switch part := e.(type) {
	case *ast.BinaryExpr:
		switch part.Op {
		case token.LAND:
			f.condition(part.X, true, alwaysFalse)
			f.condition(part.Y, true, false)
			return
		case token.LOR:
			f.condition(part.X, alwaysTrue, true)
			f.condition(part.Y, false, true)
			return
		default:
		}
		f.comparison(part)
		f.walk(part.X)
		f.walk(part.Y)
	case *ast.UnaryExpr:
		if part.Op == token.NOT {
			f.condition(part.X, alwaysFalse, alwaysTrue)
			return
		}
		f.walk(e)
	default:
		f.walk(e)
	}
	if f.target.info.Types[e].Value != nil {
		return
	}
	if alwaysTrue {
		f.add(e, "always true", "true", "("+on+" || ", ")")
	}
	if alwaysFalse {
		f.add(e, "always false", "false", "("+off+" && ", ")")
	}
}

// beside is an order with its boundary on the other side.
var beside = map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR}

// comparison moves the boundary of an order. A whole number that stands there
// is raised and lowered, which is the same and more; one that is compared for
// equality is left to the condition.
func (f *finder) comparison(c *ast.BinaryExpr) {
	other, orders := beside[c.Op]
	for _, side := range []ast.Expr{c.X, c.Y} {
		literal, is := side.(*ast.BasicLit)
		if !is {
			continue
		}
		f.leave(literal)
		if !orders || !f.isWhole(literal) {
			continue
		}
		f.raise(literal)
		if literal.Value != "0" {
			// What is compared with 0 is seldom below it.
			f.lower(literal)
		}
		return
	}
	if orders {
		mutated := f.text(c.X) + " " + other.String() + " " + f.text(c.Y)
		f.add(c, "boundary moved", mutated, "("+on+" && ("+mutated+") || "+off+" && (", "))")
	}
}

func (f *finder) isWhole(e ast.Expr) bool {
	basic, is := f.target.info.Types[e].Type.Underlying().(*types.Basic)
	return is && basic.Info()&types.IsInteger != 0
}

func (f *finder) isBuiltin(call *ast.CallExpr, name string) bool {
	called, is := call.Fun.(*ast.Ident)
	return is && called.Name == name && f.target.info.Types[call.Fun].IsBuiltin()
}

// swapped is what an operator of arithmetic becomes.
var swapped = map[token.Token]token.Token{
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.MUL,
	token.AND: token.OR, token.OR: token.AND, token.XOR: token.AND, token.AND_NOT: token.AND, token.SHL: token.SHR, token.SHR: token.SHL,
}

// expression finds the mutants of an expression that is no condition. It
// reports whether those of its parts are still to be found.
func (f *finder) expression(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if f.isBool(e) {
			f.condition(e, true, true)
			return false
		}
		f.arithmetic(e)
	case *ast.UnaryExpr:
		switch e.Op {
		case token.NOT:
			f.condition(e, true, true)
			return false
		case token.SUB:
			f.replaceExpression(e, f.target.info.Types[e].Type, "sign dropped", "("+f.text(e.X)+")")
		default:
		}
	case *ast.BasicLit:
		if (e.Kind == token.INT || e.Kind == token.FLOAT) && !f.left[e] {
			f.raise(e)
		}
	case *ast.Ident:
		f.flip(e)
	case *ast.SliceExpr:
		f.bound(e.Low, "+")
		f.bound(e.High, "-")
	case *ast.CallExpr:
		if f.logs(e) {
			return false
		}
		f.call(e)
	case *ast.CompositeLit:
		f.composite(e)
		return false
	}
	return true
}

func (f *finder) arithmetic(e *ast.BinaryExpr) {
	t := f.target.info.Types[e].Type
	basic, is := t.Underlying().(*types.Basic)
	other, known := swapped[e.Op]
	if !known || !is || basic.Info()&types.IsNumeric == 0 {
		return
	}
	if e.Op != token.MUL && e.Op != token.QUO && e.Op != token.REM {
		// Raising a number that is added or shifted by says less than this.
		f.leave(e.X)
		f.leave(e.Y)
	}
	f.replaceExpression(e, t, "operator changed", "("+f.text(e.X)+" "+other.String()+" "+f.text(e.Y)+")")
}

// leave leaves a literal as it is when it is come by.
func (f *finder) leave(e ast.Expr) {
	if f.left == nil {
		f.left = map[ast.Expr]bool{}
	}
	f.left[e] = true
}

func (f *finder) raise(literal *ast.BasicLit) { f.number(literal, +1, "constant raised") }
func (f *finder) lower(literal *ast.BasicLit) { f.number(literal, -1, "constant lowered") }

// number changes a number by one. How long something is waited for is left.
func (f *finder) number(literal *ast.BasicLit, by int64, what string) {
	t := f.target.info.Types[literal].Type
	if named, is := t.(*types.Named); is && named.Obj().Name() == "Duration" {
		return
	}
	if mutated, can := changedNumber(literal, by); can {
		f.pick(literal, what, mutated)
	}
}

// changedNumber leaves octal, binary and hexadecimal numbers, which are modes
// of files, bits and the like.
func changedNumber(literal *ast.BasicLit, by int64) (string, bool) {
	switch literal.Kind {
	case token.INT:
		n, err := strconv.ParseInt(strings.ReplaceAll(literal.Value, "_", ""), 10, 64)
		return strconv.FormatInt(n+by, 10), err == nil && (literal.Value == "0" || literal.Value[0] != '0')
	case token.FLOAT:
		return fmt.Sprintf("(%s %+d)", literal.Value, by), true
	default:
		return "", false
	}
}

func (f *finder) flip(e *ast.Ident) {
	if constant, is := f.target.info.Uses[e].(*types.Const); !is || constant.Pkg() != nil {
		return
	}
	switch e.Name {
	case "true":
		f.add(e, "flipped", "false", "("+on+" != ", ")")
	case "false":
		f.add(e, "flipped", "true", "("+on+" != ", ")")
	}
}

// bound moves a bound of a slice inwards.
func (f *finder) bound(e ast.Expr, sign string) {
	if e != nil && f.target.info.Types[e].Value == nil {
		f.replaceExpression(e, f.target.info.Types[e].Type, "bound moved", "("+f.text(e)+") "+sign+" 1")
	}
}

func (f *finder) call(e *ast.CallExpr) {
	switch {
	case f.isBuiltin(e, "make") && len(e.Args) == 3:
		// How much is made room for is seen by nobody.
		f.leave(e.Args[2])
	case f.isBuiltin(e, "min"):
		f.replaceExpression(e, f.target.info.Types[e].Type, "max in its place", "max"+f.text(e)[len("min"):])
	case f.isBuiltin(e, "max"):
		f.replaceExpression(e, f.target.info.Types[e].Type, "min in its place", "min"+f.text(e)[len("max"):])
	}
}

// composite empties texts, and leaves out the fields of a struct.
func (f *finder) composite(e *ast.CompositeLit) {
	of := f.target.info.Types[e].Type.Underlying()
	if pointer, is := of.(*types.Pointer); is {
		of = pointer.Elem().Underlying()
	}
	_, isStruct := of.(*types.Struct)
	_, isMap := of.(*types.Map)
	for _, element := range e.Elts {
		pair, is := element.(*ast.KeyValueExpr)
		if !is {
			f.empty(element)
			f.walk(element)
			continue
		}
		switch {
		case isStruct:
			f.leaveOut(pair)
		case isMap:
			f.empty(pair.Key)
			f.empty(pair.Value)
			f.walk(pair.Key)
		default:
			f.empty(pair.Value)
		}
		f.walk(pair.Value)
	}
}

func (f *finder) empty(e ast.Expr) {
	if literal, is := e.(*ast.BasicLit); is && literal.Kind == token.STRING && len(literal.Value) > 2 {
		f.pick(e, "text emptied", `""`)
	}
}

func (f *finder) leaveOut(field *ast.KeyValueExpr) {
	object := f.target.info.Uses[field.Key.(*ast.Ident)]
	literal, isLiteral := field.Value.(*ast.BasicLit)
	if object == nil || f.isBool(field.Value) || isLiteral && literal.Kind != token.STRING || f.isZero(field.Value) {
		return
	}
	name, _ := f.typeName(object.Type())
	f.replaceExpression(field.Value, object.Type(), "field "+object.Name()+" left out", zero(object.Type(), name))
}

func (f *finder) isZero(e ast.Expr) bool {
	is := f.target.info.Types[e]
	if literal, isComposite := e.(*ast.CompositeLit); isComposite && len(literal.Elts) == 0 {
		_, isStruct := is.Type.Underlying().(*types.Struct)
		return isStruct
	}
	return is.IsNil() || is.Value != nil && slices.Contains([]string{`""`, "0"}, is.Value.ExactString())
}

// neverMatches has a value of a switch match nothing.
func (f *finder) neverMatches(value ast.Expr) {
	t := f.target.info.Types[value]
	basic, is := types.Typ[types.Invalid], false
	if t.Value != nil {
		basic, is = t.Type.Underlying().(*types.Basic)
	}
	switch {
	case is && basic.Info()&types.IsString != 0:
		f.pick(value, "case never matches", `"matched by nothing"`)
	case is && basic.Info()&types.IsInteger != 0:
		f.pick(value, "case never matches", "^("+f.text(value)+")")
	default:
		f.walk(value)
	}
}
