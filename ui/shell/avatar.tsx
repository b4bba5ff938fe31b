import type { User } from '../../src/control/users/schema'

/** The picture that a sign-in provider gave, or the initials. */
export function Avatar({ user }: { user: Pick<User, 'display_name' | 'username' | 'avatar_url'> }) {
  if (user.avatar_url)
    return <img src={user.avatar_url} alt="" className="size-6 shrink-0 rounded-full object-cover" />
  return (
    <span
      aria-hidden
      className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-soft text-2xs font-semibold text-accent uppercase select-none"
    >
      {initials(user.display_name || user.username)}
    </span>
  )
}

function initials(name: string): string {
  const words = name.split(/[\s._-]+/).filter(Boolean)
  const [first = '?', last] = [words[0], words.length > 1 ? words.at(-1) : undefined]
  return (Array.from(first)[0] ?? '?') + (last ? Array.from(last)[0] : '')
}
