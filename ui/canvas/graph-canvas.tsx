import {
  type Connection,
  type EdgeChange,
  type FinalConnectionState,
  type NodeChange,
  Panel,
  ReactFlow,
  type ReactFlowInstance,
  SelectionMode,
  type Viewport,
} from '@xyflow/react'
import {
  type DragEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { AgentDocument } from '../../src/graph/ir'
import { isNodeType, type NodeTypeName } from '../../src/graph/node-types'
import { texts } from '../texts/canvas'
import { type CanvasEdge, type CanvasNode, fromCanvas, toCanvas } from './adapter'
import { refusal, type Wire } from './edit/edges'
import type { Loose } from './edit/fits'
import { type CanvasFacts, FactsContext } from './facts'
import { Minimap } from './minimap'
import { NodeView } from './node-view'
import type { Position } from './view'
import { firstLook } from './viewport'
import { WireView } from './wire-view'

/** What is chosen: nodes by id, edges by their place in the document. */
export interface Selection {
  nodes: ReadonlySet<string>
  edges: ReadonlySet<number>
}

export interface CanvasApi {
  /** A place on the screen as one of the canvas. */
  placeAt: (screen: Position) => Position
  /** The middle of what is on show. */
  middle: () => Position
  show: (ids: readonly string[]) => void
  /** Brings a node into sight where it is not, without changing the zoom. */
  reveal: (id: string) => void
  fit: () => void
  zoom: (way: 'in' | 'out') => void
}

interface GraphCanvasProps {
  facts: CanvasFacts
  selection: Selection
  onSelect: (selection: Selection) => void
  /** `to` names edits that belong together, as one way of a drag with the arrow keys. */
  onEdit: (document: AgentDocument, to: string | null) => void
  onConnect: (wire: Wire) => void
  /** A wire that cannot be, with the reason. */
  onRefused: (reason: string) => void
  /** A wire that was let go above nothing. */
  onLoose: (loose: Loose, screen: Position) => void
  /** Something of the palette came down; on an edge where there was one. */
  onDrop: (type: NodeTypeName, screen: Position, edge: number | null) => void
  onReady: (api: CanvasApi) => void
  /** It is one part of a page that scrolls: the wheel is the page's, only a pinch zooms. */
  inPage?: boolean
  children?: ReactNode
}

export const DRAGGED_TYPE = 'application/x-tycho-node'
const NODE_TYPES = { step: NodeView }
const EDGE_TYPES = { wire: WireView }
const MIN_ZOOM = 0.05
const SHOWN_AT_ZOOM = 1
/** Between a revealed node and the rim, in pixels of the screen. */
const MARGIN = 24
const PHONE = '(max-width: 767px)'
/** On a phone the panel covers the rest of the canvas. */
const ABOVE_SHEET = 0.38
/** From so many nodes on, one may lose one's way. */
const LARGE = 12
/** Below this, text is too small to be read, and is not drawn. */
const FAR_ZOOM = 0.3

/** The document, drawn. All it keeps for itself is what is being dragged right now. */
export function GraphCanvas(props: GraphCanvasProps) {
  const { facts, selection, onSelect, onEdit, onReady } = props
  const { document, readOnly } = facts
  const canvas = useCanvas(document)
  const [dragged, setDragged] = useState<ReadonlyMap<string, Position> | null>(null)
  const holder = useRef<HTMLDivElement>(null)
  const api = useRef<CanvasApi | null>(null)
  const first = useFirstLook(holder, canvas.nodes)
  const motion = useMotion(holder)
  const nodes = useMemo(
    () => withState(canvas.nodes, selection.nodes, dragged),
    [canvas, selection.nodes, dragged],
  )
  const edges = useMemo(
    () =>
      canvas.edges.map((edge) =>
        selection.edges.has(edge.data!.place) ? { ...edge, selected: true } : edge,
      ),
    [canvas, selection.edges],
  )
  // Changes come in while React has not drawn the last ones yet.
  const chosen = useRef(selection)
  chosen.current = selection

  // A panel that opens, or widens, takes room: what it is about stays in sight.
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      const [id, ...others] = chosen.current.nodes
      if (id !== undefined && others.length === 0) api.current?.reveal(id)
    })
    observer.observe(holder.current!)
    return () => observer.disconnect()
  }, [])

  // On a phone the panel covers the canvas instead, which keeps its size.
  const [only] = selection.nodes
  const revealed = selection.nodes.size === 1 ? only : undefined
  useEffect(() => {
    if (revealed !== undefined && matchMedia(PHONE).matches) api.current?.reveal(revealed)
  }, [revealed])

  const choose = useCallback(
    (next: Selection) => {
      chosen.current = next
      onSelect(next)
    },
    [onSelect],
  )

  function nodesChanged(changes: NodeChange<CanvasNode>[]) {
    const selects = changes.filter((change) => change.type === 'select')
    if (selects.length > 0) {
      choose({
        ...chosen.current,
        nodes: toggled(
          chosen.current.nodes,
          selects.map(({ id, selected }) => [id, selected]),
        ),
      })
    }
    const moves = changes
      .filter((change) => change.type === 'position')
      .filter(({ position }) => position !== undefined)
    if (moves.length === 0 || readOnly) return
    const isDrag = moves.some((move) => move.dragging)
    const places = new Map(dragged)
    for (const move of moves) places.set(move.id, move.position!)
    if (isDrag) return setDragged(places)
    const moved = canvas.nodes.map((node) => ({ ...node, position: places.get(node.id) ?? node.position }))
    setDragged(null)
    onEdit(fromCanvas({ ...canvas, nodes: moved }), dragged ? null : 'move')
  }

  function edgesChanged(changes: EdgeChange<CanvasEdge>[]) {
    const selects = changes.filter((change) => change.type === 'select')
    if (selects.length === 0) return
    choose({
      ...chosen.current,
      edges: toggled(
        chosen.current.edges,
        selects.map(({ id, selected }) => [Number(id), selected]),
      ),
    })
  }

  function connectEnded(event: MouseEvent | TouchEvent, state: FinalConnectionState) {
    const loose = looseEnd(state)
    if (state.isValid || !loose) return
    const wire = wireBetween(loose, state)
    if (wire) return props.onRefused(refusal(document, wire) ?? texts.wire.refused)
    const { clientX: x, clientY: y } = 'changedTouches' in event ? event.changedTouches[0]! : event
    if (!isOverNode({ x, y })) props.onLoose(loose, { x, y })
  }

  function ready(instance: ReactFlowInstance<CanvasNode, CanvasEdge>) {
    api.current = apiOf(instance, holder.current!)
    onReady(api.current)
  }

  return (
    <FactsContext.Provider value={facts}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only takes what is dropped; the palette adds by a click too */}
      <div
        ref={holder}
        className="canvas relative h-full w-full"
        onDragOver={(event) => {
          if (readOnly || !event.dataTransfer.types.includes(DRAGGED_TYPE)) return
          event.preventDefault()
          event.dataTransfer.dropEffect = 'copy'
        }}
        onDrop={(event) => dropped(event, props.onDrop)}
      >
        {first && (
          <ReactFlow<CanvasNode, CanvasEdge>
            aria-label={texts.label}
            nodes={nodes}
            edges={edges}
            nodeTypes={NODE_TYPES}
            edgeTypes={EDGE_TYPES}
            onNodesChange={nodesChanged}
            onEdgesChange={edgesChanged}
            onConnect={(connection) => props.onConnect(wireOf(connection))}
            isValidConnection={(connection) => refusal(document, wireOf(connection)) === null}
            onConnectEnd={connectEnded}
            onInit={ready}
            onMove={(_, to) => motion.move(to)}
            onMoveEnd={motion.end}
            defaultViewport={first}
            onlyRenderVisibleElements
            nodesDraggable={!readOnly}
            nodesConnectable={!readOnly}
            minZoom={MIN_ZOOM}
            maxZoom={2}
            connectionRadius={28}
            deleteKeyCode={null}
            selectionMode={SelectionMode.Partial}
            multiSelectionKeyCode={['Meta', 'Control', 'Shift']}
            panOnScroll={!props.inPage}
            zoomOnScroll={false}
            preventScrolling={!props.inPage}
            autoPanOnNodeFocus={false}
            elevateNodesOnSelect={false}
            proOptions={{ hideAttribution: true }}
            ariaLabelConfig={ARIA}
          >
            {props.children && <Panel position="bottom-left">{props.children}</Panel>}
            {document.nodes.length >= LARGE && (
              <Panel position="bottom-right" className="max-md:hidden">
                <Minimap document={document} />
              </Panel>
            )}
          </ReactFlow>
        )}
      </div>
    </FactsContext.Provider>
  )
}

const ARIA = {
  'node.a11yDescription.default': texts.keys.step,
  'node.a11yDescription.keyboardDisabled': texts.keys.fixedStep,
  'edge.a11yDescription.default': texts.keys.wire,
}

/** Where the canvas begins: known before anything is drawn, so that nothing is drawn twice. */
function useFirstLook(holder: RefObject<HTMLDivElement | null>, nodes: CanvasNode[]) {
  const [first, setFirst] = useState<Viewport | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for the nodes that are there at first
  useLayoutEffect(() => {
    const look = firstLook(nodes, holder.current!.getBoundingClientRect())
    holder.current!.toggleAttribute('data-far', look.zoom < FAR_ZOOM)
    setFirst(look)
  }, [])
  return first
}

/** How the canvas is seen, as marks on its holder: no node is drawn anew for them. */
function useMotion(holder: RefObject<HTMLDivElement | null>) {
  const zoom = useRef<number | null>(null)
  return {
    move(to: Viewport) {
      holder.current?.toggleAttribute('data-far', to.zoom < FAR_ZOOM)
      // What is drawn at one scale would be blurred at another.
      holder.current?.toggleAttribute('data-panned', to.zoom === zoom.current)
      zoom.current = to.zoom
    },
    end: () => holder.current?.removeAttribute('data-panned'),
  }
}

/** The view of the document, made from the one before. */
function useCanvas(document: AgentDocument) {
  const last = useRef<{ document: AgentDocument; canvas: ReturnType<typeof toCanvas> } | null>(null)
  if (last.current?.document !== document) {
    last.current = { document, canvas: toCanvas(document, last.current?.canvas) }
  }
  return last.current.canvas
}

const withState = (
  nodes: CanvasNode[],
  chosen: ReadonlySet<string>,
  dragged: ReadonlyMap<string, Position> | null,
): CanvasNode[] =>
  nodes.map((node) => {
    const selected = chosen.has(node.id)
    const position = dragged?.get(node.id)
    return selected || position ? { ...node, selected, ...(position && { position, dragging: true }) } : node
  })

function toggled<T>(before: ReadonlySet<T>, changes: [T, boolean][]): Set<T> {
  const next = new Set(before)
  for (const [one, on] of changes) {
    if (on) next.add(one)
    else next.delete(one)
  }
  return next
}

const wireOf = ({ source, sourceHandle, target, targetHandle }: Connection | CanvasEdge): Wire => ({
  source,
  sourceHandle: sourceHandle ?? '',
  target,
  targetHandle: targetHandle ?? '',
})

function looseEnd({ fromNode, fromHandle }: FinalConnectionState): Loose | null {
  if (!fromNode || !fromHandle?.id) return null
  return { node: fromNode.id, port: fromHandle.id, from: fromHandle.type === 'source' ? 'out' : 'in' }
}

/** The wire that was meant, where it was let go above a port. */
function wireBetween({ node, port, from }: Loose, { toNode, toHandle }: FinalConnectionState): Wire | null {
  if (!toNode || !toHandle?.id) return null
  return from === 'out'
    ? { source: node, sourceHandle: port, target: toNode.id, targetHandle: toHandle.id }
    : { source: toNode.id, sourceHandle: toHandle.id, target: node, targetHandle: port }
}

const isOverNode = ({ x, y }: Position) =>
  globalThis.document.elementFromPoint(x, y)?.closest('.react-flow__node') != null

function dropped(event: DragEvent, onDrop: GraphCanvasProps['onDrop']) {
  const type = event.dataTransfer.getData(DRAGGED_TYPE)
  if (!isNodeType(type)) return
  event.preventDefault()
  const screen = { x: event.clientX, y: event.clientY }
  const edge = globalThis.document
    .elementsFromPoint(screen.x, screen.y)
    .map((element) => element.closest('.react-flow__edge')?.getAttribute('data-id'))
    .find((id) => id != null)
  onDrop(type, screen, edge == null ? null : Number(edge))
}

function apiOf(instance: ReactFlowInstance<CanvasNode, CanvasEdge>, holder: HTMLElement): CanvasApi {
  return {
    placeAt: (screen) => instance.screenToFlowPosition(screen),
    middle() {
      const { left, top, width, height } = holder.getBoundingClientRect()
      return instance.screenToFlowPosition({ x: left + width / 2, y: top + height / 2 })
    },
    show: (ids) =>
      void instance.fitView({
        nodes: ids.map((id) => ({ id })),
        maxZoom: SHOWN_AT_ZOOM,
        minZoom: 0.6,
        padding: 0.4,
      }),
    reveal(id) {
      const node = instance.getInternalNode(id)
      if (!node) return
      const { x, y } = node.internals.positionAbsolute
      const { width, height: whole } = holder.getBoundingClientRect()
      const height = matchMedia(PHONE).matches ? whole * ABOVE_SHEET : whole
      const { x: left, y: top, zoom } = instance.getViewport()
      const by = (start: number, size: number, room: number) =>
        start < MARGIN ? MARGIN - start : Math.min(0, room - MARGIN - start - size)
      const dx = by(x * zoom + left, node.width! * zoom, width)
      const dy = by(y * zoom + top, node.height! * zoom, height)
      if (dx !== 0 || dy !== 0) void instance.setViewport({ x: left + dx, y: top + dy, zoom })
    },
    fit: () => void instance.fitView({ maxZoom: SHOWN_AT_ZOOM, padding: 0.15 }),
    zoom: (way) => void (way === 'in' ? instance.zoomIn() : instance.zoomOut()),
  }
}
