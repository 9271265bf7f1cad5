/**
 * Which clients the explorer answers: all, those with its key in the header `api-key`, or those with a token that was
 * obtained with client credentials (RFC 6749 §4.4) and has not expired.
 */
import { randomBytes } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { Said } from "../../../NodeServer.ts"

export type AccessRule =
  | { readonly kind: "open" }
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "oauth"; readonly clientId: string; readonly clientSecret: string; readonly lifeSeconds: number }

export class Access {
  private readonly rule: AccessRule
  private readonly tokens = new Map<string, number>()
  /** The number of issued tokens. */
  issued = 0

  constructor(rule: AccessRule) {
    this.rule = rule
  }

  allows(headers: IncomingHttpHeaders): boolean {
    switch (this.rule.kind) {
      case "open":
        return true
      case "key":
        return headers["api-key"] === this.rule.key
      case "oauth":
        return (this.tokens.get(headers.authorization?.replace(/^Bearer /, "") ?? "") ?? 0) > Date.now()
    }
  }

  /** Revokes all tokens. */
  revoke(): void {
    this.tokens.clear()
  }

  token(body: string): Said {
    if (this.rule.kind !== "oauth") return { status: 404, body: { error: "not_found" } }
    const form = new URLSearchParams(body)
    const known = form.get("grant_type") === "client_credentials" && form.get("client_id") === this.rule.clientId &&
      form.get("client_secret") === this.rule.clientSecret
    if (!known) return { status: 401, body: { error: "invalid_client" } }
    const token = randomBytes(24).toString("hex")
    this.issued += 1
    this.tokens.set(token, Date.now() + this.rule.lifeSeconds * 1_000)
    return { status: 200, body: { access_token: token, expires_in: this.rule.lifeSeconds, token_type: "Bearer" } }
  }
}
