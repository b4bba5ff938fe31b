import { useMemo, useState } from 'react'
import { diffDocuments } from '../../src/graph/diff'
import type { AgentDocument } from '../../src/graph/ir'
import { useDeleteDraft, usePublish } from '../agents/data'
import { DifferenceList, isSame } from '../agents/differences'
import { ApiError } from '../api'
import { idFor, nextVersion } from '../canvas/edit/about'
import { openDocument } from '../canvas/open'
import { Button } from '../kit/button'
import { Dialog } from '../kit/dialog'
import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { ErrorNotice, Notice } from '../kit/notices'
import { texts as common } from '../texts/common'
import { texts as editor } from '../texts/editor'
import { useAgentOf, useNewestVersion } from './data'

const texts = editor.publish

interface PublishDialogProps {
  document: AgentDocument
  /** Of what is worked on: the draft that ends with it, and the agent it began as. */
  draftId: string | null
  agentId: string | null
  /** A draft is being made right now: without its id it could not be ended. */
  drafting: boolean
  onClose: () => void
  onPublished: (id: string, version: string) => void
}

/** What publishing would change, and as which version of which agent. */
export function PublishDialog({
  document,
  draftId,
  agentId,
  drafting,
  onClose,
  onPublished,
}: PublishDialogProps) {
  const [name, setName] = useState(document.name)
  const [ownId, setOwnId] = useState<string | null>(null)
  const [ownVersion, setOwnVersion] = useState<string | null>(null)
  const id = agentId ?? ownId ?? idFor(name, document.id)
  const agent = useAgentOf(id)
  const newest = useNewestVersion(agent.data)
  const published = agent.data?.versions.map(({ version }) => version) ?? []
  const version = ownVersion ?? nextVersion(published)
  const publish = usePublish()
  const remove = useDeleteDraft()
  const next = useMemo(
    () => ({ ...document, id, name, version, contentHash: null }),
    [document, id, name, version],
  )

  function submit() {
    publish.mutate([next], {
      onSuccess: () => {
        if (draftId !== null) remove.mutate(draftId)
        onPublished(id, version)
      },
    })
  }

  const taken = published.includes(version)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={texts.title}
      description={texts.description}
      size="lg"
      footer={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            variant="primary"
            pending={publish.isPending}
            disabled={agent.isPending || drafting || taken || name.trim() === ''}
            onClick={submit}
          >
            {agent.data ? texts.submit(version) : texts.submitFirst}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={texts.name}>
            <Input value={name} onChange={({ target }) => setName(target.value)} />
          </Field>
          <Field label={texts.version} error={taken ? texts.versionTaken : undefined}>
            <Input value={version} maxLength={64} onChange={({ target }) => setOwnVersion(target.value)} />
          </Field>
        </div>
        <Field label={texts.id} hint={agentId ? undefined : texts.idHint}>
          <Input
            className="font-mono text-xs"
            value={id}
            readOnly={agentId !== null}
            onChange={({ target }) => setOwnId(target.value.trim())}
          />
        </Field>
        {agent.error && <ErrorNotice title={texts.lookupFailed} error={agent.error} />}
        {agentId === null && agent.data && <Notice tone="warn">{texts.idTaken(agent.data.name)}</Notice>}
        {publish.error && <Refusal error={publish.error} />}
        {agent.data === null && (
          <p className="text-sm text-muted">{texts.newAgent(document.nodes.length, document.edges.length)}</p>
        )}
        {newest.data && <Changes before={newest.data.ir} next={next} version={newest.data.version} />}
      </div>
    </Dialog>
  )
}

function Changes({ before, next, version }: { before: unknown; next: AgentDocument; version: string }) {
  const differences = useMemo(() => {
    const { document } = openDocument(before)
    return document && diffDocuments(document, next)
  }, [before, next])
  if (!differences) return null
  return (
    <section aria-label={texts.changes} className="flex min-w-0 flex-col gap-2">
      <h3 className="text-sm font-semibold">{texts.changesSince(version)}</h3>
      {isSame(differences) ? (
        <p className="text-sm text-muted">{texts.noChanges}</p>
      ) : (
        <DifferenceList data={differences} />
      )}
    </section>
  )
}

function Refusal({ error }: { error: unknown }) {
  const problems = error instanceof ApiError ? error.problems : []
  return (
    <ErrorNotice
      title={texts.failed}
      error={error}
      help={problems.length > 1 ? texts.failedHelp(problems.length) : undefined}
    />
  )
}
