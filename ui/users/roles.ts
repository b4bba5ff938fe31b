import type { User } from '../../src/control/users/schema'
import { texts } from '../texts/users'

export type Role = User['role']
export const ROLES: readonly Role[] = ['viewer', 'editor', 'admin']

/** What each role may do, for the places where one is chosen. */
export const ROLE_OPTIONS: Record<Role, { label: string; hint: string }> = texts.roles

/** One cannot give away more than one has. */
export const rolesUpTo = (role: Role): Role[] => ROLES.slice(0, ROLES.indexOf(role) + 1)
