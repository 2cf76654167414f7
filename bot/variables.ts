/** Environment variables of the bot, for `memorymark-bot --help` and docs/bot.md; settings.ts validates them. */

interface Variable {
  /** As it would be written. */
  readonly default?: string
  readonly meaning: string
}

/** The App's credentials. If none is set, they are read from the file MEMORYMARK_CREDENTIALS. */
export const credentialVariables = {
  APP_ID: { meaning: "The App ID, a number, from the App's settings page." },
  PRIVATE_KEY: { meaning: "The App's private key in PEM form; line breaks may be written as `\\n`." },
  WEBHOOK_SECRET: { meaning: "The App's webhook secret, at least 16 characters." },
} as const satisfies Readonly<Record<string, Variable>>

export const settingVariables = {
  MEMORYMARK_CREDENTIALS: {
    default: 'memorymark-app.env',
    meaning:
      'The file with the three variables above, which the setup page writes. It is not read where one of them is set.',
  },
  DATABASE_URL: {
    default: 'memorymark-data',
    meaning: '`postgres://…`, or a folder for the embedded database. Several replicas need PostgreSQL.',
  },
  HOST: { default: 'localhost', meaning: 'The address at which the bot listens; `0.0.0.0` for all of the machine.' },
  PORT: { default: '3000', meaning: 'The port at which it listens.' },
  GITHUB_API_URL: { default: 'https://api.github.com', meaning: 'The REST API, for GitHub Enterprise Server.' },
  LOG_LEVEL: {
    default: 'info',
    meaning: '`debug`, `info`, `warn`, `error` or `silent`; JSON lines on standard output, without payloads or tokens.',
  },
  MEMORYMARK_GPU: {
    meaning:
      "The GPU that the training runs on, if a repository's settings name none. Without either, an A10 is assumed, and nothing blocks.",
  },
  MEMORYMARK_FAIL_ON: {
    meaning:
      "What turns the check red, if a repository's settings do not say: `waste > 40 %`, for example. By default a loss of 20 % of the throughput at the same effective batch, if it costs $50 or 50 GPU hours a year.",
  },
  MEMORYMARK_PLAYGROUND: {
    meaning:
      "The https address of a playground that comments link to, if a repository's settings name none: a copy of your own (`npm run build:site`), since a link holds the config.",
  },
  MEMORYMARK_WORKFLOW: {
    default: '.github/workflows/memorymark.yml',
    meaning: 'The workflow whose reports count. A pull request that changes this workflow cannot use its report.',
  },
  MEMORYMARK_HUB: {
    default: 'off',
    meaning:
      '`on` looks up models that neither the repository nor the catalogue has on the Hugging Face Hub, with `HF_ENDPOINT` and `HF_TOKEN` where they are set.',
  },
  MEMORYMARK_API_TOKEN: {
    meaning: 'Serves the REST API and the dashboard on the same port, to anyone who has this token.',
  },
  MEMORYMARK_KEEP_DAYS: { default: '365', meaning: 'Days for which verdicts, reports and the ledger are kept.' },
  MEMORYMARK_GRACE_DAYS: {
    default: '7',
    meaning: 'Days after an uninstallation until everything kept about it is deleted.',
  },
} as const satisfies Readonly<Record<string, Variable>>

export const variables: Readonly<Record<string, Variable>> = { ...credentialVariables, ...settingVariables }
