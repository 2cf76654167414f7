/** Workflow runs and their artifacts, which emulate can list but neither make nor hand out. */

export interface Artifact {
  readonly id: number
  readonly runId: number
  readonly name: string
  readonly zip: Uint8Array
  /** What the listing says; the truth unless a test wants a liar. */
  readonly sizeInBytes: number
}

export interface WorkflowRunJson {
  readonly id: number
  readonly name: string
  readonly path: string
  readonly event: string
  readonly status: 'completed'
  readonly conclusion: string
  readonly head_sha: string
  readonly head_branch: string
  readonly head_repository: { readonly full_name: string; readonly owner: { readonly login: string } }
  readonly repository: { readonly full_name: string }
  /** Empty for a fork, as on GitHub. */
  readonly pull_requests: readonly { readonly number: number }[]
  readonly html_url: string
}

export class WorkflowRuns {
  readonly #runs = new Map<number, WorkflowRunJson>()
  readonly #artifacts = new Map<number, Artifact>()

  add(run: Omit<WorkflowRunJson, 'id'>): WorkflowRunJson {
    const id = 9_000_000_000 + this.#runs.size
    const added = { ...run, id }
    this.#runs.set(id, added)
    return added
  }

  attach(artifact: Omit<Artifact, 'id'>): Artifact {
    const added = { ...artifact, id: 7_000_000 + this.#artifacts.size }
    this.#artifacts.set(added.id, added)
    return added
  }

  run(id: number): WorkflowRunJson | undefined {
    return this.#runs.get(id)
  }

  artifact(id: number): Artifact | undefined {
    return this.#artifacts.get(id)
  }

  artifactsOf(runId: number, name: string | undefined): readonly Artifact[] {
    return [...this.#artifacts.values()].filter(
      artifact => artifact.runId === runId && (name === undefined || artifact.name === name),
    )
  }
}

export function artifactJson(artifact: Artifact, repositoryUrl: string): Record<string, unknown> {
  const url = `${repositoryUrl}/actions/artifacts/${artifact.id}`
  return {
    id: artifact.id,
    name: artifact.name,
    size_in_bytes: artifact.sizeInBytes,
    url,
    archive_download_url: `${url}/zip`,
    expired: false,
    workflow_run: { id: artifact.runId },
  }
}
