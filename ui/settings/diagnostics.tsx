import type { Diagnostics as Found } from '../../src/inference/health/schema'
import { Badge } from '../kit/badge'
import { Card } from '../kit/card'
import { ErrorNotice, Notice } from '../kit/notices'
import { SkeletonRows } from '../kit/placeholders'
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '../kit/table'
import { Worded } from '../kit/worded'
import { useReadiness } from '../registries/data'
import { WithCode } from '../registries/hint'
import { engineName, MODALITY_LABELS } from '../registries/labels'
import { texts as settings } from '../texts/settings'
import { useDiagnostics } from './data'

const texts = settings.diagnostics
const STATE_DIR = 'SERVICE_INFERENCE_PLANE_STATE_DIR'

/** Where the inference plane keeps things, what it could not read, and which engines it finds. */
export function Diagnostics() {
  const diagnostics = useDiagnostics()
  return (
    <Card flush title={texts.title} description={texts.description}>
      {diagnostics.isPending && <SkeletonRows rows={4} />}
      {diagnostics.error && (
        <ErrorNotice
          error={diagnostics.error}
          title={texts.failed}
          onRetry={() => void diagnostics.refetch()}
          className="m-4"
        />
      )}
      {diagnostics.data && <Report found={diagnostics.data} />}
    </Card>
  )
}

const Report = ({
  found: { stateDir, modelDir, hfHome, persistent, problems, binaries },
}: {
  found: Found
}) => (
  <>
    {(problems.length > 0 || !persistent) && (
      <div className="flex flex-col gap-2 px-4 pb-4">
        {!persistent && (
          <Notice tone="warn">
            <Worded text={texts.temporary} with={{ variable: <code>{STATE_DIR}</code> }} />
          </Notice>
        )}
        {problems.map(({ file, keptAs, message }) => (
          <Notice key={file} tone="warn">
            <code className="text-xs">{file}</code>: {message} {keptAs && texts.keptAs(keptAs)}
          </Notice>
        ))}
      </div>
    )}
    <dl className="grid gap-x-8 gap-y-0.5 border-t px-4 py-4 text-sm sm:grid-cols-[auto_1fr] sm:gap-y-2">
      {Object.entries({
        [texts.folders.state]: stateDir,
        [texts.folders.models]: modelDir,
        [texts.folders.hubCache]: hfHome,
      }).map(([name, folder]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="max-sm:pb-2">
            <code className="text-xs">{folder}</code>
          </dd>
        </div>
      ))}
    </dl>
    <div className="border-t">
      <Table label={texts.engines}>
        <TableHead>
          <HeadCell>{texts.engine}</HeadCell>
          <HeadCell>{texts.modality}</HeadCell>
          <HeadCell>{texts.program}</HeadCell>
        </TableHead>
        <TableBody>
          {binaries.map(({ engine, modality, path, status, builtIn, version }) => (
            <Row key={`${engine} ${modality}`}>
              <Cell className="font-medium whitespace-nowrap">{engineName(engine, modality)}</Cell>
              <Cell className="whitespace-nowrap text-muted">{MODALITY_LABELS[modality]}</Cell>
              <Cell>
                {status === 'resolved' ? (
                  <>
                    {builtIn ? <Badge>{texts.builtIn}</Badge> : <code className="text-xs">{path}</code>}
                    {version && <p className="text-xs text-muted">{version}</p>}
                  </>
                ) : (
                  <NotFound engine={engine} modality={modality} />
                )}
              </Cell>
            </Row>
          ))}
        </TableBody>
      </Table>
    </div>
  </>
)

/** With how to get it, as readiness says. */
function NotFound({ engine, modality }: Pick<Found['binaries'][number], 'engine' | 'modality'>) {
  const { data = [] } = useReadiness()
  const reason = data.find((one) => one.engine === engine && one.modality === modality)?.reason
  return (
    <div className="flex min-w-64 flex-col items-start gap-1">
      <Badge tone="warn">{texts.notFound}</Badge>
      {reason && (
        <p className="text-xs text-muted">
          <WithCode text={reason} />
        </p>
      )}
    </div>
  )
}
