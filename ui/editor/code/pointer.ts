import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'

type SyntaxNode = ReturnType<typeof syntaxTree>['topNode']

/** Where in a JSON text the value of a pointer is: that of the nearest one around it where it is not there. */
export function placeOf(state: EditorState, pointer: string): { from: number; to: number } {
  let node: SyntaxNode | null = syntaxTree(state).topNode.firstChild
  let found = node
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    node = node && childOf(node, key, state)
    if (!node) break
    found = node
  }
  if (!found) return { from: 0, to: 0 }
  // A whole node underlined says nothing: its first line does.
  return { from: found.from, to: Math.min(found.to, state.doc.lineAt(found.from).to) }
}

function childOf(node: SyntaxNode, key: string, state: EditorState): SyntaxNode | null {
  if (node.name === 'Object') {
    const property = node.getChildren('Property').find((one) => nameOf(one, state) === key)
    return property?.lastChild ?? null
  }
  if (node.name !== 'Array') return null
  const items: SyntaxNode[] = []
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (!/^[[\],⚠]$/.test(child.name)) items.push(child)
  }
  return items[Number(key)] ?? null
}

function nameOf(property: SyntaxNode, state: EditorState): string | null {
  const name = property.getChild('PropertyName')
  try {
    return name && (JSON.parse(state.sliceDoc(name.from, name.to)) as string)
  } catch {
    // Half-typed.
    return null
  }
}
