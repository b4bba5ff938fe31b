import { syntaxTree } from '@codemirror/language'
import { RangeSetBuilder } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'

const KINDS: Record<string, Decoration> = {
  PropertyName: Decoration.mark({ class: 'json-name' }),
  String: Decoration.mark({ class: 'json-text' }),
  Number: Decoration.mark({ class: 'json-other' }),
  True: Decoration.mark({ class: 'json-other' }),
  False: Decoration.mark({ class: 'json-other' }),
  Null: Decoration.mark({ class: 'json-other' }),
}

/** Colours what is on show of a JSON text; the library's own styles know no dark theme of ours. */
export const colours = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet
    constructor(view: EditorView) {
      this.decorations = draw(view)
    }
    update({ docChanged, viewportChanged, startState, state, view }: ViewUpdate) {
      if (docChanged || viewportChanged || syntaxTree(startState) !== syntaxTree(state))
        this.decorations = draw(view)
    }
  },
  { decorations: (plugin) => plugin.decorations },
)

function draw(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>()
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter(node) {
        const kind = KINDS[node.name]
        if (kind) builder.add(node.from, node.to, kind)
      },
    })
  }
  return builder.finish()
}
