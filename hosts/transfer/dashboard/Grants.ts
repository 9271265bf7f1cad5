/**
 * Which routes of the API a session may call through the dashboard, and as whom (DASH-3). Pure; a route that is not
 * listed is refused.
 */

/**
 * `key`: the key that the request names in a header; the wallet must own it. `payer`: the same, and a wallet that the
 * key is linked to may, too. `id`: the key in the path; the wallet must own it. `wallet`: the wallet itself.
 */
export type WalletGrant = "key" | "payer" | "id" | "wallet"

const wallet: ReadonlyMap<string, WalletGrant> = new Map<string, WalletGrant>([
  ["GET /requests", "key"],
  ["GET /requests/summary", "key"],
  ["GET /webhooks", "key"],
  ["POST /webhooks", "key"],
  ["DELETE /webhooks/:id", "key"],
  ["POST /webhooks/:id/secret", "key"],
  ["GET /webhooks/deliveries", "key"],
  ["POST /webhooks/deliveries/:id/replay", "key"],
  ["POST /api-keys/wallets/challenge", "key"],
  ["POST /api-keys/wallets", "key"],
  ["DELETE /api-keys/wallets", "payer"],
  ["POST /api-keys/:id/rotate", "id"],
  ["DELETE /api-keys/:id", "id"],
  ["GET /api-keys/:id/budgets", "id"],
  ["PUT /api-keys/:id/budgets", "id"],
  ["GET /app-fees/:wallet/statement", "wallet"]
])

const operator: ReadonlySet<string> = new Set([
  "GET /admin/overview",
  "GET /admin/profit-and-loss",
  "POST /admin/requests/:id/retry",
  "GET /admin/pauses",
  "POST /admin/pauses",
  "DELETE /admin/pauses/:id",
  "GET /admin/losses",
  "GET /api-keys",
  "POST /api-keys",
  "POST /api-keys/:id/rotate",
  "DELETE /api-keys/:id",
  "GET /api-keys/:id/budgets",
  "PUT /api-keys/:id/budgets"
])

/** How a wallet's session may call a route: `GET /requests`. Undefined: not at all. */
export const walletGrant = (route: string): WalletGrant | undefined => wallet.get(route)

/** Whether an operator's session may call a route. */
export const operatorMay = (route: string): boolean => operator.has(route)

/** Every route that a session may call. */
export const grantedRoutes: ReadonlyArray<string> = [...new Set([...wallet.keys(), ...operator])]
