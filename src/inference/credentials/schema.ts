import { t } from 'elysia'

export const Credential = t.Object({
  name: t.String({ description: 'Shaped like an environment variable.' }),
  hasValue: t.Literal(true),
})
export type Credential = typeof Credential.static

export const CredentialList = t.Object({ credentials: t.Array(Credential) })

export const CredentialValue = t.Object({
  value: t.String({ minLength: 1, maxLength: 16_384, description: 'Write-only.' }),
})
