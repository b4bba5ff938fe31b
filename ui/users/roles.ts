import type { User } from '../../src/control/users/schema'

export type Role = User['role']
export const ROLES: readonly Role[] = ['viewer', 'editor', 'admin']

/** What each role may do, for the places where one is chosen. */
export const ROLE_OPTIONS: Record<Role, { label: string; hint: string }> = {
  viewer: { label: 'Viewer', hint: 'Chats with models, and sees own runs and sessions.' },
  editor: { label: 'Editor', hint: 'Builds and publishes too.' },
  admin: { label: 'Admin', hint: 'Changes settings and manages users too.' },
}

/** One cannot give away more than one has. */
export const rolesUpTo = (role: Role): Role[] => ROLES.slice(0, ROLES.indexOf(role) + 1)
