/** Metrics for Prometheus. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { ApiCall } from './installation.ts'
import type { Queue } from './queue/queue.ts'
import type { Answer } from './webhooks/answer.ts'

/** Only known events become labels, since anybody can send a header and each label value costs memory. */
const events = new Set(['pull_request', 'check_run', 'check_suite', 'workflow_run', 'merge_group', 'issue_comment'])

export class Metrics {
  readonly #registry = new Registry()
  readonly #deliveries: Counter<'event' | 'answer'>
  readonly #jobsEnded: Counter<'kind' | 'outcome'>
  readonly #calls: Counter<'method' | 'status'>
  readonly #remaining: Gauge<'installation'>
  readonly #verdicts: Counter<'state'>

  constructor(queue: Queue) {
    const registers = [this.#registry]
    collectDefaultMetrics({ register: this.#registry })
    this.#deliveries = new Counter({
      name: 'memorymark_deliveries_total',
      help: 'Webhooks that arrived, by event and answer',
      labelNames: ['event', 'answer'],
      registers,
    })
    this.#jobsEnded = new Counter({
      name: 'memorymark_jobs_ended_total',
      help: 'Jobs that were worked on, by kind and outcome',
      labelNames: ['kind', 'outcome'],
      registers,
    })
    this.#calls = new Counter({
      name: 'memorymark_api_calls_total',
      help: 'Requests to the API of GitHub, by method and status; 0 where no answer came',
      labelNames: ['method', 'status'],
      registers,
    })
    this.#remaining = new Gauge({
      name: 'memorymark_api_remaining',
      help: 'Requests that GitHub leaves an installation in this hour',
      labelNames: ['installation'],
      registers,
    })
    this.#verdicts = new Counter({
      name: 'memorymark_verdicts_total',
      help: 'Commits that were judged, by what their check says',
      labelNames: ['state'],
      registers,
    })
    watchQueue(queue, registers)
  }

  delivery(event: string, answer: Answer): void {
    this.#deliveries.inc({ event: events.has(event) ? event : 'other', answer })
  }

  jobEnded(kind: string, outcome: string): void {
    this.#jobsEnded.inc({ kind, outcome })
  }

  call({ method, status, installationId, remaining }: ApiCall): void {
    this.#calls.inc({ method, status })
    if (installationId !== undefined && remaining !== undefined) {
      this.#remaining.set({ installation: installationId }, remaining)
    }
  }

  verdict(state: string): void {
    this.#verdicts.inc({ state })
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** In Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }
}

function watchQueue(queue: Queue, registers: Registry[]): void {
  const oldest = new Gauge({
    name: 'memorymark_oldest_job_seconds',
    help: 'How long the oldest job that may run has waited',
    registers,
  })
  new Gauge({
    name: 'memorymark_jobs',
    help: 'Jobs in the queue, by state',
    labelNames: ['state'],
    registers,
    async collect() {
      const { jobs, oldestSeconds } = await queue.depth()
      this.reset()
      for (const [state, count] of Object.entries(jobs)) this.set({ state }, count)
      oldest.set(oldestSeconds)
    },
  })
}
