import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { Root } from './shell/root'
import { NotFound, PageFailed, PageLoading } from './shell/states'

const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Root,
  notFoundComponent: NotFound,
})

/** The named search parameters that are text; everything else in the address is dropped. */
const texts =
  <const K extends string>(...names: K[]) =>
  (search: Record<string, unknown>): { [N in K]?: string } =>
    Object.fromEntries(
      names
        .filter((name) => search[name] !== undefined && search[name] !== '')
        // The router reads `?id=12` as a number.
        .map((name) => [name, String(search[name])]),
    ) as { [N in K]?: string }

const dashboard = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./dashboard/page'), 'DashboardPage'),
})
const chat = createRoute({
  getParentRoute: () => root,
  path: '/chat',
  validateSearch: texts('session', 'model', 'agent'),
  component: lazyRouteComponent(() => import('./chat/page'), 'ChatPage'),
})
const agents = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  component: lazyRouteComponent(() => import('./agents/list-page'), 'AgentsPage'),
})
const agent = createRoute({
  getParentRoute: () => root,
  path: '/agents/$id',
  validateSearch: texts('tab', 'version', 'a', 'b'),
  component: lazyRouteComponent(() => import('./agents/detail-page'), 'AgentPage'),
})
const inbox = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  validateSearch: texts('run'),
  component: lazyRouteComponent(() => import('./waiting/page'), 'InboxPage'),
})
const triggers = createRoute({
  getParentRoute: () => root,
  path: '/triggers',
  component: lazyRouteComponent(() => import('./triggers/page'), 'TriggersPage'),
})
const editor = createRoute({
  getParentRoute: () => root,
  path: '/editor',
  validateSearch: texts('draft', 'agent', 'version'),
  component: lazyRouteComponent(() => import('./editor/page'), 'EditorPage'),
})
const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: texts('text', 'status', 'agent', 'version', 'trigger', 'period'),
  component: lazyRouteComponent(() => import('./runs/list-page'), 'RunsPage'),
})
const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$id',
  validateSearch: texts('span'),
  component: lazyRouteComponent(() => import('./runs/detail-page'), 'RunPage'),
})
const compare = createRoute({
  getParentRoute: () => root,
  path: '/runs/compare',
  validateSearch: texts('a', 'b'),
  component: lazyRouteComponent(() => import('./runs/compare-page'), 'ComparePage'),
})
const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  component: lazyRouteComponent(() => import('./sessions/list-page'), 'SessionsPage'),
})
const session = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$id',
  component: lazyRouteComponent(() => import('./sessions/detail-page'), 'SessionPage'),
})
const registries = createRoute({
  getParentRoute: () => root,
  path: '/registries',
  validateSearch: texts('tab', 'search', 'task', 'size', 'sort', 'repo'),
  component: lazyRouteComponent(() => import('./registries/page'), 'RegistriesPage'),
})
const gateway = createRoute({
  getParentRoute: () => root,
  path: '/gateway',
  validateSearch: texts(
    'tab',
    'group',
    'from',
    'to',
    'developer',
    'project',
    'model',
    'client',
    'gateway',
    'sort',
  ),
  component: lazyRouteComponent(() => import('./gateway/page'), 'GatewayPage'),
})
const gatewaySession = createRoute({
  getParentRoute: () => root,
  path: '/gateway/sessions/$id',
  component: lazyRouteComponent(() => import('./gateway/session-page'), 'GatewaySessionPage'),
})
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: texts('tab'),
  component: lazyRouteComponent(() => import('./settings/page'), 'SettingsPage'),
})

const routeTree = root.addChildren([
  dashboard,
  chat,
  agents,
  agent,
  inbox,
  triggers,
  editor,
  runs,
  run,
  compare,
  sessions,
  session,
  registries,
  gateway,
  gatewaySession,
  settings,
])

export const createAppRouter = (queries: QueryClient) =>
  createRouter({
    routeTree,
    context: { queries },
    defaultPreload: 'intent',
    defaultPendingComponent: PageLoading,
    defaultErrorComponent: PageFailed,
    scrollRestoration: true,
    scrollToTopSelectors: ['#main'],
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
