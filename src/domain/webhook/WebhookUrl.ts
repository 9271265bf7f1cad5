/**
 * Where webhooks may be sent, as far as a URL alone can say (WEBHOOK-4): https, without credentials, and never to an
 * address that is not public. A host name is judged by the addresses that it resolves to, each time something is sent.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { addressRange, isAddress } from "./AddressRange.ts"
import type { AddressRange } from "./AddressRange.ts"

/** How far webhooks of an environment reach; `local`: plain http and the loopback too. */
export type WebhookReach = "public" | "local"

/** `message` is meant for the caller who gave the URL. */
export class InvalidWebhookUrl
  extends Schema.TaggedError<InvalidWebhookUrl>()("InvalidWebhookUrl", { message: Schema.String })
{}

const MAX_LENGTH = 2_048

/** SECURITY: only public addresses, and the loopback in the local environment (WEBHOOK-4). */
export const mayReach = (reach: WebhookReach, range: AddressRange): boolean =>
  range === "public" || (range === "loopback" && reach === "local")

/** The host of a URL as resolvers and sockets know it: without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.startsWith("[") ? hostname.slice(1, -1) : hostname

const refuse = (message: string) => Result.fail(new InvalidWebhookUrl({ message }))

/** The URL in its canonical spelling, in which every way to write an IPv4 address becomes the dotted decimal one. */
export const parseWebhookUrl = (reach: WebhookReach, text: string): Result.Result<URL, InvalidWebhookUrl> => {
  if (text.length > MAX_LENGTH || !URL.canParse(text)) {
    return refuse(`url must be a URL of at most ${MAX_LENGTH} characters`)
  }
  const url = new URL(text)
  if (url.protocol !== "https:" && !(url.protocol === "http:" && reach === "local")) {
    return refuse("url must begin with https://")
  }
  if (url.username !== "" || url.password !== "") return refuse("url must not hold a user or a password")
  if (url.hash !== "") return refuse("url must not have a fragment")
  const host = hostOf(url)
  if (isAddress(host) && !mayReach(reach, addressRange(host))) {
    return refuse("url must not lead to an address that is not public")
  }
  return Result.succeed(url)
}
