import { useMemo, useRef, useState } from 'react'
import type { Problem } from '../../src/graph/problem'
import { setName } from '../canvas/edit/about'
import { duplicate } from '../canvas/edit/clipboard'
import { connect, removeEdges } from '../canvas/edit/edges'
import { removeNodes } from '../canvas/edit/nodes'
import type { CanvasFacts } from '../canvas/facts'
import { type CanvasApi, GraphCanvas, type Selection } from '../canvas/graph-canvas'
import { tidied } from '../canvas/layout'
import { afterLayout } from '../canvas/viewport'
import { Notice } from '../kit/notices'
import { useDocumentTitle } from '../kit/page-header'
import { useToast } from '../kit/toasts'
import { texts } from '../texts/editor'
import { CanvasTools } from './canvas-tools'
import { CodeView } from './code-view'
import { useListedModels } from './data'
import { NodePicker } from './node-picker'
import { Notices } from './notices'
import type { EditorStart } from './opening'
import { Palette } from './palette'
import { type Panel, Panels } from './panels'
import { PublishDialog } from './publish-dialog'
import { RunWatcher } from './run-watcher'
import { SearchDialog } from './search-dialog'
import { type Command, useShortcuts } from './shortcuts'
import { ShortcutsDialog } from './shortcuts-dialog'
import { modalityOf, NO_INPUT, runInput } from './test/input'
import { gateOf, restartAfter } from './test/plan'
import { type Mode, Toolbar } from './toolbar'
import { useClipboard } from './use-clipboard'
import { useEditor } from './use-editor'
import { useHint } from './use-hint'
import { usePlacing } from './use-placing'
import { useProblems } from './use-problems'
import { type RunFacts, useTestRuns } from './use-test-run'

interface EditorProps {
  start: EditorStart
  tab: string
  readOnly: boolean
  onDraft: (id: string) => void
  onPublished: (id: string, version: string) => void
}

const NOTHING: Selection = { nodes: new Set(), edges: new Set() }
const NO_RUN: RunFacts = { runs: new Map(), outputs: new Map() }

/** The editor of one document: canvas or code, with what belongs to it at the sides. */
export function Editor({ start, tab, readOnly, onDraft, onPublished }: EditorProps) {
  const editor = useEditor(start, tab, readOnly, onDraft)
  const { document, broken, edit } = editor
  const { models, isPending: modelsPending } = useListedModels()
  const tests = useTestRuns()
  const toast = useToast()
  const root = useRef<HTMLDivElement>(null)
  const canvas = useRef<CanvasApi | null>(null)
  const [mode, setMode] = useState<Mode>(start.broken === null ? 'visual' : 'code')
  const [selection, setSelection] = useState(NOTHING)
  const [panel, setPanel] = useState<Panel | null>(null)
  const [dialog, setDialog] = useState<'publish' | 'search' | 'help' | null>(null)
  const [goTo, setGoTo] = useState<string | null>(null)
  const [hint, setHint] = useHint()
  const [tidying, setTidying] = useState(false)
  const [input, setInput] = useState(NO_INPUT)
  const [pinned, setPinned] = useState<string | null>(null)
  const [facts, setFacts] = useState(NO_RUN)
  const { problems, byNode, count } = useProblems(document, broken)
  useDocumentTitle(document.name || texts.page.title)

  const choose = (ids: Iterable<string>) => setSelection({ nodes: new Set(ids), edges: new Set() })
  const [only] = selection.nodes
  const node = selection.nodes.size === 1 ? document.nodes.find(({ id }) => id === only) : undefined
  const placing = usePlacing({ document, models, node, canvas, edit, choose })
  const copy = useClipboard({
    root,
    document,
    chosen: selection.nodes,
    readOnly,
    at: () => canvas.current?.middle(),
    onPaste(grown, ids) {
      edit(grown)
      choose(ids)
    },
    onRefused: setHint,
  })

  const insert = useRef(placing.openOnEdge)
  insert.current = placing.openOnEdge
  const canvasFacts = useMemo<CanvasFacts>(
    () => ({
      document,
      problems: byNode,
      runs: facts.runs,
      pinned,
      readOnly,
      onInsert: (edge, at) => insert.current(edge, at),
    }),
    [document, byNode, facts.runs, pinned, readOnly],
  )

  function show(id: string) {
    setMode('visual')
    choose([id])
    canvas.current?.show([id])
  }

  function remove() {
    const next = removeNodes(removeEdges(document, selection.edges), selection.nodes)
    if (next === document) return
    edit(next)
    setSelection(NOTHING)
  }

  async function tidy() {
    setTidying(true)
    try {
      edit(await tidied(document))
      afterLayout(() => canvas.current?.fit())
    } catch (error) {
      setHint((error as Error).message)
    } finally {
      setTidying(false)
    }
  }

  function openTest() {
    setPanel('test')
    // The panel takes room from the canvas, and one wants to see what happens there.
    if (panel !== 'test') afterLayout(() => canvas.current?.fit())
  }

  function runTest() {
    openTest()
    const given = runInput(modalityOf(document), input)
    if (gateOf(document, problems) !== null || 'missing' in given) return
    const after = pinned ? restartAfter(document, tests.run?.hash ?? null, pinned) : null
    if (after && 'from' in after) return tests.again(document, after.from)
    setFacts(NO_RUN)
    tests.start(document, given.value)
  }

  function addByKey() {
    const { left, top, width, height } = root.current!.getBoundingClientRect()
    placing.open({ x: left + width / 2 - 140, y: top + height / 3 })
  }

  function duplicateChosen() {
    if (selection.nodes.size === 0) return
    const { document: grown, ids } = duplicate(document, selection.nodes)
    edit(grown)
    choose(ids)
  }

  const looking: Partial<Record<Command, () => unknown>> = {
    code: () => setMode(mode === 'code' ? 'visual' : 'code'),
    search: () => setDialog('search'),
    copy: () => void copy(),
    all: () => choose(document.nodes.map(({ id }) => id)),
    fit: () => canvas.current?.fit(),
    problems: () => setPanel(panel === 'problems' ? null : 'problems'),
    leave: () => (panel ? setPanel(null) : setSelection(NOTHING)),
    help: () => setDialog('help'),
  }
  const editing: Partial<Record<Command, () => unknown>> = {
    save: editor.saveNow,
    undo: editor.undo,
    redo: editor.redo,
    publish: () => setDialog('publish'),
    run: runTest,
    add: addByKey,
    cut: () => void copy().then((isCopied) => isCopied && remove()),
    duplicate: duplicateChosen,
    remove,
    tidy: () => void tidy(),
  }
  const run = (command: Command) => void (looking[command] ?? (readOnly ? undefined : editing[command]))?.()
  useShortcuts(root, run)

  function showProblem({ node_id, edge_id, path }: Problem) {
    if (mode === 'visual' && node_id !== undefined) return show(node_id)
    const edge = document.edges.findIndex(({ id }) => id === edge_id)
    if (mode === 'visual' && edge >= 0) {
      canvas.current?.show([document.edges[edge]!.source, document.edges[edge]!.target])
      return setSelection({ nodes: new Set(), edges: new Set([edge]) })
    }
    setMode('code')
    setGoTo(path)
  }

  return (
    <div ref={root} className="flex h-full min-h-0 flex-col">
      <Toolbar
        name={document.name}
        onName={(name) => edit(setName(document, name, start.agentId === null), 'name')}
        agentId={start.agentId}
        mode={mode}
        onMode={setMode}
        saving={readOnly ? null : editor.saving}
        problems={count}
        onProblems={() => run('problems')}
        onTest={() => (panel === 'test' ? setPanel(null) : openTest())}
        onPublish={() => run('publish')}
        onSearch={() => run('search')}
        onHelp={() => run('help')}
        readOnly={readOnly}
      />
      <Notices
        start={start}
        editor={editor}
        readOnly={readOnly}
        modelsMissing={!modelsPending && models.length === 0}
      />
      <div className="relative flex min-h-0 flex-1">
        {!readOnly && mode === 'visual' && <Palette onAdd={placing.add} />}
        <div className="relative min-w-0 flex-1">
          {mode === 'code' ? (
            <div className="h-full" data-own-history>
              <CodeView
                document={document}
                broken={broken}
                problems={problems}
                onWrite={editor.write}
                goTo={goTo}
                readOnly={readOnly}
              />
            </div>
          ) : (
            <GraphCanvas
              facts={canvasFacts}
              selection={selection}
              onSelect={setSelection}
              onEdit={edit}
              onConnect={(wire) => edit(connect(document, wire))}
              onRefused={setHint}
              onLoose={placing.takeLoose}
              onDrop={(type, screen, edge) =>
                edge === null ? placing.drop(type, screen) : placing.putOnEdge(type, edge, screen)
              }
              onReady={(api) => {
                canvas.current = api
              }}
            >
              <CanvasTools
                run={run}
                onZoom={(way) => canvas.current?.zoom(way)}
                canUndo={editor.canUndo}
                canRedo={editor.canRedo}
                tidying={tidying}
                readOnly={readOnly}
              />
            </GraphCanvas>
          )}
          {broken !== null && mode === 'visual' && (
            <div className="absolute inset-x-4 top-4">
              <Notice tone="warn">{texts.canvas.outdated}</Notice>
            </div>
          )}
          <p
            role="status"
            className="pointer-events-none absolute inset-x-0 bottom-16 flex justify-center px-4"
          >
            {hint && (
              <span className="rounded-lg bg-ink px-3 py-1.5 text-sm text-on-ink shadow-raised">{hint}</span>
            )}
          </p>
        </div>
        <Panels
          panel={panel}
          onPanel={setPanel}
          selection={mode === 'visual' ? selection : NOTHING}
          onSelect={setSelection}
          editor={editor}
          readOnly={readOnly}
          problems={problems}
          byNode={byNode}
          models={models}
          facts={facts}
          tests={tests}
          pinned={pinned}
          onPin={setPinned}
          input={input}
          onInput={setInput}
          run={run}
          onShowProblem={showProblem}
          onInsert={(type, edge) => placing.putOnEdge(type, edge, centerOf(root.current!))}
        />
      </div>
      {tests.run?.answer.runId && (
        <RunWatcher key={tests.run.answer.runId} runId={tests.run.answer.runId} onFacts={setFacts} />
      )}
      {placing.placing && <NodePicker {...placing.placing} onClose={placing.close} />}
      {dialog === 'search' && (
        <SearchDialog
          document={document}
          onClose={() => setDialog(null)}
          onShow={(id) => {
            setDialog(null)
            setPanel(null)
            show(id)
          }}
        />
      )}
      {dialog === 'help' && <ShortcutsDialog onClose={() => setDialog(null)} />}
      {dialog === 'publish' && (
        <PublishDialog
          document={document}
          draftId={editor.saving.draftId}
          agentId={start.agentId}
          drafting={editor.drafting}
          onClose={() => setDialog(null)}
          onPublished={(id, version) => {
            editor.settle()
            toast(texts.publish.published(id, version))
            onPublished(id, version)
          }}
        />
      )}
    </div>
  )
}

function centerOf(element: HTMLElement) {
  const { left, top, width, height } = element.getBoundingClientRect()
  return { x: left + width / 2, y: top + height / 2 }
}
