/** Files through the API, as large as GitHub hands them out; and who may do what with the repository. */

import { owner } from './accounts.ts'
import { fullNameOf, type Gateway, REPOSITORY, type Routes } from './gateway.ts'

const MIB = 2 ** 20
/** Above it the contents API sends no content, unless asked for it raw. */
const MAX_INLINE_BYTES = MIB
/** Above it neither contents nor blobs are handed out. */
const MAX_BLOB_BYTES = 100 * MIB

interface FileJson {
  readonly type?: string
  readonly size?: number
}

/** By emulate's names; GitHub's answer knows four levels and keeps the finer ones in `role_name`. */
const levels: Readonly<Record<string, string>> = {
  admin: 'admin',
  maintain: 'write',
  push: 'write',
  triage: 'read',
  pull: 'read',
}

export function routeContents(routes: Routes, gateway: Gateway, maxTreeEntries: number): void {
  routes.get(`${REPOSITORY}/git/trees/:sha`, c =>
    gateway.amended(c, ({ tree, ...rest }: { tree: readonly unknown[] }) =>
      tree.length > maxTreeEntries
        ? { ...rest, tree: tree.slice(0, maxTreeEntries), truncated: true }
        : { ...rest, tree },
    ),
  )
  routes.get(`${REPOSITORY}/contents/*`, async c => {
    const answer = await gateway.forward(c)
    if (!answer.ok || (c.req.header('accept') ?? '').includes('raw')) return answer
    const file = (await answer.json()) as FileJson
    if (file.size !== undefined && file.size > MAX_BLOB_BYTES) return tooLarge()
    const emptied = file.size !== undefined && file.size > MAX_INLINE_BYTES ? { content: '', encoding: 'none' } : {}
    return c.json(Array.isArray(file) ? file : { ...file, ...emptied })
  })
  routes.get(`${REPOSITORY}/git/blobs/:sha`, async c => {
    const answer = await gateway.forward(c)
    if (!answer.ok) return answer
    const blob = (await answer.json()) as { size: number }
    return blob.size > MAX_BLOB_BYTES ? tooLarge() : c.json(blob)
  })
  routes.get(`${REPOSITORY}/collaborators/:username/permission`, async c => {
    const username = c.req.param('username')
    const answer = await gateway.forward(c)
    if (answer.ok) {
      const { permission, ...rest } = (await answer.json()) as { permission: string }
      return c.json({ permission: levels[permission] ?? permission, ...rest })
    }
    const user = await gateway.upstream.find<{ login: string }>(`/users/${username}`, owner.token)
    const repository = await gateway.upstream.find<{ private: boolean }>(`/repos/${fullNameOf(c)}`, owner.token)
    if (answer.status !== 404 || user === undefined || repository === undefined) return answer
    // Everybody may read a public repository.
    const permission = repository.private ? 'none' : 'read'
    return c.json({ permission, role_name: permission, user })
  })
}

function tooLarge(): Response {
  return Response.json(
    {
      message: 'This API returns blobs up to 100 MB in size.',
      errors: [{ resource: 'Blob', field: 'data', code: 'too_large' }],
    },
    { status: 403 },
  )
}
