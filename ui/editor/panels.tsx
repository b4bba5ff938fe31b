import { useState } from 'react'
import type { NodeTypeName } from '../../src/graph/node-types'
import type { Problem } from '../../src/graph/problem'
import type { ListedModel } from '../canvas/edit/starters'
import type { Selection } from '../canvas/graph-canvas'
import { iconOf } from '../canvas/icons'
import { titleOf } from '../canvas/sentence'
import { useMedia } from '../kit/use-media'
import { texts } from '../texts/editor'
import { EdgePanel } from './edge-panel'
import { Inspector, type Look } from './inspector'
import { ProblemsPanel } from './problems-panel'
import type { Command } from './shortcuts'
import { SidePanel } from './side-panel'
import type { TestInput } from './test/input'
import { TestPanel } from './test/panel'
import { restartAt } from './test/plan'
import type { EditorState } from './use-editor'
import type { RunFacts, TestRuns } from './use-test-run'

export type Panel = 'problems' | 'test'

interface PanelsProps {
  panel: Panel | null
  onPanel: (panel: Panel | null) => void
  selection: Selection
  onSelect: (selection: Selection) => void
  editor: EditorState
  readOnly: boolean
  problems: readonly Problem[]
  byNode: ReadonlyMap<string, readonly Problem[]>
  models: readonly ListedModel[]
  facts: RunFacts
  tests: TestRuns
  pinned: string | null
  onPin: (node: string | null) => void
  input: TestInput
  onInput: (input: TestInput) => void
  run: (command: Command) => void
  onShowProblem: (problem: Problem) => void
  onInsert: (type: NodeTypeName, edge: number) => void
}

/** At the right of the canvas: the list of problems, the test run, or what is chosen. */
export function Panels(props: PanelsProps) {
  switch (props.panel) {
    case 'problems':
      return (
        <SidePanel title={texts.panels.problems} onClose={() => props.onPanel(null)}>
          <ProblemsPanel
            problems={props.problems}
            document={props.editor.document}
            onShow={props.onShowProblem}
          />
        </SidePanel>
      )
    case 'test':
      return <TestSide {...props} />
    case null:
      return <Chosen {...props} />
  }
}

const TestSide = ({ editor, problems, input, tests, pinned, onInput, onPin, onPanel, run }: PanelsProps) => (
  <SidePanel title={texts.panels.test} onClose={() => onPanel(null)}>
    <TestPanel
      document={editor.document}
      problems={problems}
      input={input}
      run={tests.run}
      pinned={pinned}
      onInput={onInput}
      onRun={() => run('run')}
      onStop={tests.stop}
      onUnpin={() => onPin(null)}
      onProblems={() => onPanel('problems')}
    />
  </SidePanel>
)

const NOTHING: Selection = { nodes: new Set(), edges: new Set() }

function Chosen(props: PanelsProps) {
  const { selection, onSelect, editor, readOnly, models, facts, tests, pinned, onPin, run } = props
  const { document, edit } = editor
  const [look, setLook] = useState<Look>('form')
  const isWide = useMedia('(min-width: 1280px)')
  const close = () => onSelect(NOTHING)
  const [id] = selection.nodes
  const [place] = selection.edges
  const node = selection.nodes.size === 1 ? document.nodes.find((one) => one.id === id) : undefined
  const edge = selection.nodes.size === 0 && place !== undefined ? document.edges[place] : undefined
  if (edge) {
    return (
      <SidePanel title={texts.panels.wire} onClose={close}>
        <EdgePanel
          document={document}
          edge={edge}
          readOnly={readOnly}
          onInsert={(type) => props.onInsert(type, place!)}
          onRemove={() => run('remove')}
        />
      </SidePanel>
    )
  }
  if (!node) return null
  const Icon = iconOf(node.type)
  return (
    <SidePanel
      title={titleOf(node)}
      icon={<Icon aria-hidden className="size-4 shrink-0 text-muted" />}
      wide={isWide && look === 'both'}
      onClose={close}
    >
      <Inspector
        key={node.id}
        document={document}
        node={node}
        problems={props.byNode.get(node.id) ?? []}
        models={models}
        outputs={facts.outputs}
        run={facts.runs.get(node.id)}
        readOnly={readOnly}
        look={look === 'both' && !isWide ? 'form' : look}
        looks={isWide ? ['form', 'json', 'both'] : ['form', 'json']}
        pinned={pinned === node.id}
        restart={restartAt(document, tests.run?.hash ?? null, node.id)}
        onLook={setLook}
        onEdit={edit}
        onRunFrom={() => tests.again(document, node.id)}
        onPin={() => onPin(pinned === node.id ? null : node.id)}
        onDuplicate={() => run('duplicate')}
        onRemove={() => run('remove')}
        onRenamed={(renamed) => onSelect({ nodes: new Set([renamed]), edges: new Set() })}
      />
    </SidePanel>
  )
}
