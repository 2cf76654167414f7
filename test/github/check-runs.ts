/** What emulate's check runs lack: the App that owns them, and annotations that append instead of replacing. */

import type { InstalledApp } from './accounts.ts'
import { type AppJson, appJson } from './authorship.ts'

export interface Annotation {
  readonly path: string
  readonly start_line: number
  readonly end_line: number
  readonly annotation_level: string
  readonly message: string
}

export interface CheckRunJson {
  readonly id: number
  readonly name: string
  readonly head_sha: string
  readonly status: string
  readonly conclusion: string | null
  readonly external_id: string
  readonly output: {
    readonly title: string | null
    readonly summary: string | null
    readonly text: string | null
    readonly annotations_count: number
  }
  readonly app: AppJson | null
  readonly check_suite: { readonly id: number } | null
  readonly pull_requests: readonly unknown[]
}

export interface CheckRunWrite {
  readonly output?: { readonly annotations?: readonly Annotation[] }
}

export class CheckRuns {
  readonly #apps = new Map<number, InstalledApp>()
  readonly #annotations = new Map<number, readonly Annotation[]>()

  /** Notes who wrote and which annotations came with it. */
  record(id: number, app: InstalledApp, write: CheckRunWrite): void {
    this.#apps.set(id, this.#apps.get(id) ?? app)
    this.#annotations.set(id, [...this.annotations(id), ...(write.output?.annotations ?? [])])
  }

  annotations(id: number): readonly Annotation[] {
    return this.#annotations.get(id) ?? []
  }

  complete(run: CheckRunJson): CheckRunJson {
    const app = this.#apps.get(run.id)
    const output = { ...run.output, annotations_count: this.annotations(run.id).length }
    return { ...run, output, app: app === undefined ? null : appJson(app) }
  }
}
