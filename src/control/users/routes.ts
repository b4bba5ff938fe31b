import { Elysia } from 'elysia'
import { type Authenticate, routeOptions } from '#kernel/http/plane'
import { NoContent } from '#kernel/http/shapes'
import { CreateUser, ResetPassword, UpdateUser, User, UserList } from './schema'
import type { UserService } from './service'

export const userRoutes = ({ authenticate, users }: { authenticate: Authenticate; users: UserService }) =>
  new Elysia({ prefix: '/users' })
    .use(routeOptions(authenticate))
    .get('', () => users.list(), { role: 'admin', response: UserList })
    .post('', ({ body, status }) => users.create(body).then((user) => status(201, user)), {
      role: 'admin',
      body: CreateUser,
      response: { 201: User },
      errors: ['invalid_username', 'password_too_short', 'username_taken', 'too_many_attempts'],
    })
    .patch('/:id', ({ params, body }) => users.update(params.id, body), {
      role: 'admin',
      body: UpdateUser,
      response: User,
      errors: ['user_not_found', 'last_admin'],
    })
    .delete('/:id', ({ params, status }) => users.remove(params.id).then(() => status(204, undefined)), {
      role: 'admin',
      response: { 204: NoContent },
      errors: ['user_not_found', 'last_admin'],
    })
    .post('/:id/password', ({ params, body }) => users.resetPassword(params.id, body.password), {
      role: 'admin',
      body: ResetPassword,
      response: User,
      errors: ['user_not_found', 'password_too_short', 'too_many_attempts'],
    })
