import { useState } from 'react'
import type { User } from '../../src/control/users/schema'
import { NewPasswordField } from '../auth/new-password-field'
import { aboutField } from '../auth/problems'
import { Field } from '../kit/field'
import { FormDialog } from '../kit/form-dialog'
import { Input } from '../kit/input'
import { ErrorNotice } from '../kit/notices'
import { Select } from '../kit/select'
import { useToast } from '../kit/toasts'
import { texts as common } from '../texts/common'
import { texts as users } from '../texts/users'
import { useCreateUser, useUpdateUser } from './data'
import { ROLE_OPTIONS, ROLES, type Role } from './roles'

const texts = users.form

const FIELD_CODES = ['invalid_username', 'username_taken', 'password_too_short']
const roles = ROLES.map((value) => ({ value, ...ROLE_OPTIONS[value] }))

interface UserDialogProps {
  /** Left out: a new one. */
  user?: User
  lastAdmin?: boolean
  onClose: () => void
}

export function UserDialog({ user, lastAdmin = false, onClose }: UserDialogProps) {
  const create = useCreateUser()
  const update = useUpdateUser()
  const toast = useToast()
  const [username, setUsername] = useState('')
  const [name, setName] = useState(user?.display_name ?? '')
  const [email, setEmail] = useState(user?.email ?? '')
  const [role, setRole] = useState<Role>(user?.role ?? 'viewer')
  const [password, setPassword] = useState('')
  const error = create.error ?? update.error

  function submit() {
    const onSuccess = (saved: User) => {
      toast(user ? texts.changed(saved.display_name) : texts.created(saved.display_name))
      onClose()
    }
    if (user) {
      update.mutate(
        { id: user.id, display_name: name.trim() || user.username, email: email.trim() || null, role },
        { onSuccess },
      )
      return
    }
    create.mutate(
      {
        username,
        role,
        password: password || null,
        display_name: name.trim() || null,
        email: email.trim() || null,
      },
      { onSuccess },
    )
  }

  return (
    <FormDialog
      title={user ? texts.editTitle(user.display_name) : texts.createTitle}
      submit={user ? common.save : texts.create}
      pending={create.isPending || update.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      {!user && (
        <Field
          label={texts.username}
          hint={texts.usernameHint}
          error={aboutField(error, 'invalid_username', 'username_taken')}
        >
          <Input
            name="username"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            required
            value={username}
            onChange={(event) => setUsername(event.target.value.toLowerCase())}
          />
        </Field>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={texts.displayName} hint={texts.displayNameHint}>
          <Input
            name="display_name"
            autoComplete="off"
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field label={texts.email} hint={texts.emailHint}>
          <Input
            name="email"
            type="email"
            autoComplete="off"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
      </div>
      <Field label={texts.role} hint={lastAdmin ? texts.lastAdmin : ROLE_OPTIONS[role].hint}>
        <Select value={role} onChange={setRole} options={roles} disabled={lastAdmin} />
      </Field>
      {!user && (
        <NewPasswordField
          hint={texts.passwordHint}
          problem={error}
          required={false}
          value={password}
          onChange={setPassword}
        />
      )}
      {error && !aboutField(error, ...FIELD_CODES) && <ErrorNotice error={error} />}
    </FormDialog>
  )
}
