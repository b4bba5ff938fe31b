import type { ReactNode } from 'react'
import { texts as runs } from '../texts/runs'
import { useInputNode, useNodeIo } from '../trace/data'
import { gateOf } from '../trace/payload'
import { ValueView } from '../trace/value-view'
import type { Run } from './data'
import { isUnfinished } from './describe'

const texts = runs.payloads

/** A run of a prompt has one node, of this id (interface, 4). */
const PROMPT_NODE = 'llm'

/** What was asked and what came back. */
export const RunPayloads = ({ run }: { run: Run }) => (
  <div className="@container">
    <div className="grid min-w-0 items-start gap-4 @2xl:grid-cols-2">
      {run.graph_id === null ? <Prompt run={run} /> : <GraphInput run={run} />}
      {run.output ? (
        <ValueView label={texts.output} value={run.output} formatted />
      ) : (
        <Blank label={texts.output}>{isUnfinished(run) ? texts.outputPending : texts.noOutput}</Blank>
      )}
    </div>
  </div>
)

function Prompt({ run }: { run: Run }) {
  const { data } = useNodeIo(run.id, PROMPT_NODE, isUnfinished(run))
  const prompt = data?.inputs?.prompt
  if (prompt !== undefined) return <ValueView label={texts.input} value={prompt} />
  return <Blank label={texts.input}>{data ? (gateOf(data) ?? texts.notRecorded) : texts.loading}</Blank>
}

/** What the graph was given: its input nodes all put out the same. */
function GraphInput({ run }: { run: Run }) {
  const node = useInputNode(run.id)
  const { data } = useNodeIo(run.id, node ?? null, isUnfinished(run))
  const [value] = Object.values(data?.outputs ?? {})
  if (value !== undefined) return <ValueView label={texts.input} value={value} />
  if (node === null) return <Blank label={texts.input}>{texts.noInput}</Blank>
  return <Blank label={texts.input}>{data ? (gateOf(data) ?? texts.notRecorded) : texts.loading}</Blank>
}

const Blank = ({ label, children }: { label: string; children: ReactNode }) => (
  <section aria-label={label} className="rounded-lg border bg-surface px-3 py-2">
    <h2 className="font-mono text-2xs text-muted">{label}</h2>
    <p className="mt-1 text-sm text-muted">{children}</p>
  </section>
)
