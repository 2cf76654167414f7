/**
 * The manifest from which GitHub creates the App with all its settings in one click.
 * https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
 */
import { neededEvents, neededPermissions } from '../doctor/needs.ts'
import { WEBHOOK_PATH } from '../webhooks/receive.ts'

/** Where GitHub sends the browser once the App exists. */
export const CREATED_PATH = '/setup/created'

/** `address`: the bot's public address, without a trailing slash. */
export function manifestFor(address: string) {
  return {
    name: 'MemoryMark',
    description: 'When a pull request changes a training config, says which batch size your GPU can really take.',
    url: address,
    public: false,
    hook_attributes: { url: `${address}${WEBHOOK_PATH}`, active: true },
    redirect_url: `${address}${CREATED_PATH}`,
    default_permissions: Object.fromEntries(
      Object.entries(neededPermissions).map(([name, { level }]) => [name, level]),
    ),
    default_events: Object.keys(neededEvents),
  }
}

/**
 * GitHub's web address for a REST API address: github.com, an Enterprise Server under `/api/v3`, or a host of ghe.com.
 */
export function webUrlOf(apiUrl: string): string {
  const { protocol, host } = new URL(apiUrl)
  const named = host === 'api.github.com' || /^api\.[\w-]+\.ghe\.com$/.test(host) ? host.slice('api.'.length) : host
  return `${protocol}//${named}`
}
