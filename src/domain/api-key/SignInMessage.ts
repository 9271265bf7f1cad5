/**
 * Sign-In-With-Ethereum messages (EIP-4361): building and parsing them, as text that a wallet shows and signs.
 *
 * Guarantee: parsing is total and strict, and what parses is spelled by `formatSignIn` exactly as it was, byte by byte.
 * Times are kept as they stand. Not for judging: whether a message may be believed is `JudgeSignIn`'s to say.
 *
 * Not viem's parser, which our texts are compared with: it finds no domain in `[::1]:3001` or `a_b:3001`, so a service
 * there could link no wallet, and it reads over a wrong version and over what follows the message.
 */
import { protocolAccounts } from "../chain/ProtocolAccounts.ts"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Address } from "../chain/Address.ts"
import { checksummed } from "../families/HexAccount.ts"
import { ChainId } from "../chain/ChainId.ts"

export interface SignInMessage {
  readonly scheme?: string
  /** The authority that asks for the signature: host, and port when it is not the scheme's own. */
  readonly domain: string
  readonly address: Address
  readonly statement?: string
  readonly uri: string
  readonly chainId: ChainId
  /** At least eight letters and digits. */
  readonly nonce: string
  /** RFC 3339, as are the other times. */
  readonly issuedAt: string
  readonly expirationTime?: string
  readonly notBefore?: string
  readonly requestId?: string
  readonly resources?: ReadonlyArray<string>
}

/** Longer texts are no messages: nothing of ours needs more. */
export const MAX_SIGN_IN_LENGTH = 4_096

const OPENING = " wants you to sign in with your Ethereum account:"

/** The text of a message whose parts are well formed. */
export const formatSignIn = (message: SignInMessage): string =>
  [
    `${message.scheme === undefined ? "" : `${message.scheme}://`}${message.domain}${OPENING}`,
    checksummed(message.address),
    "",
    ...(message.statement === undefined ? [""] : [message.statement, ""]),
    `URI: ${message.uri}`,
    "Version: 1",
    `Chain ID: ${message.chainId}`,
    `Nonce: ${message.nonce}`,
    `Issued At: ${message.issuedAt}`,
    ...(message.expirationTime === undefined ? [] : [`Expiration Time: ${message.expirationTime}`]),
    ...(message.notBefore === undefined ? [] : [`Not Before: ${message.notBefore}`]),
    ...(message.requestId === undefined ? [] : [`Request ID: ${message.requestId}`]),
    ...(message.resources === undefined ? [] : ["Resources:", ...message.resources.map((uri) => `- ${uri}`)])
  ].join("\n")

const opening = /^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/)?([A-Za-z0-9._~!$&'()*+,;=:@%[\]-]+)$/u
const statement = /^[A-Za-z0-9._~:/?#[\]@!$&'()*+,;= -]+$/u
const uri = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/u
const chainNumber = /^[1-9][0-9]{0,15}$/u
const nonce = /^[A-Za-z0-9]{8,}$/u
const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/u
const requestId = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*$/u

const isTime = (text: string): boolean => time.test(text) && Option.isSome(DateTime.make(text))

/** Takes lines from the front; `undefined` once there are none. */
const linesOf = (text: string) => {
  const lines = text.split("\n")
  let next = 0
  return {
    take: (): string | undefined => lines[next++],
    /** The value of the next line if it is this field's; a field that is not next is left out. */
    field: (name: string): string | undefined => {
      const line = lines[next]
      if (line === undefined || !line.startsWith(name)) return undefined
      next++
      return line.slice(name.length)
    },
    rest: (): ReadonlyArray<string> => lines.slice(next)
  }
}

const fail = (part: string) => Result.fail(`${part} is not what EIP-4361 asks for`)

/** The address in the one spelling that the standard takes, its EIP-55 checksum. */
const parseAccount = (text: string | undefined): Address | undefined => {
  const parsed = protocolAccounts.parse(text ?? "")
  return Result.isSuccess(parsed) && checksummed(parsed.success) === text ? parsed.success : undefined
}

/** A message from its text, or which of its parts is malformed. */
export const parseSignIn = (text: string): Result.Result<SignInMessage, string> => {
  if (text.length > MAX_SIGN_IN_LENGTH) return fail("the length")
  const lines = linesOf(text)
  const first = lines.take() ?? ""
  const [, scheme, domain] = first.endsWith(OPENING) ? opening.exec(first.slice(0, -OPENING.length)) ?? [] : []
  if (domain === undefined) return fail("the first line")
  const address = parseAccount(lines.take())
  if (address === undefined) return fail("the address")
  if (lines.take() !== "") return fail("the line after the address")
  const said = lines.take()
  if (said !== "" && (said === undefined || !statement.test(said) || lines.take() !== "")) return fail("the statement")
  const about = lines.field("URI: ")
  if (about === undefined || !uri.test(about)) return fail("URI")
  if (lines.field("Version: ") !== "1") return fail("Version")
  const chain = lines.field("Chain ID: ") ?? ""
  const chainId = Number(chain)
  if (!chainNumber.test(chain) || !Number.isSafeInteger(chainId)) return fail("Chain ID")
  const once = lines.field("Nonce: ")
  if (once === undefined || !nonce.test(once)) return fail("Nonce")
  const issuedAt = lines.field("Issued At: ")
  if (issuedAt === undefined || !isTime(issuedAt)) return fail("Issued At")
  const expirationTime = lines.field("Expiration Time: ")
  if (expirationTime !== undefined && !isTime(expirationTime)) return fail("Expiration Time")
  const notBefore = lines.field("Not Before: ")
  if (notBefore !== undefined && !isTime(notBefore)) return fail("Not Before")
  const request = lines.field("Request ID: ")
  if (request !== undefined && !requestId.test(request)) return fail("Request ID")
  const heading = lines.field("Resources:")
  const rest = lines.rest()
  const areResources = heading === "" && rest.every((line) => line.startsWith("- ") && uri.test(line.slice(2)))
  if (heading === undefined ? rest.length > 0 : !areResources) return fail("the end")
  return Result.succeed({
    ...(scheme === undefined ? {} : { scheme }),
    domain,
    address,
    ...(said === "" ? {} : { statement: said }),
    uri: about,
    chainId: ChainId.make(chainId),
    nonce: once,
    issuedAt,
    ...(expirationTime === undefined ? {} : { expirationTime }),
    ...(notBefore === undefined ? {} : { notBefore }),
    ...(request === undefined ? {} : { requestId: request }),
    ...(heading === undefined ? {} : { resources: rest.map((line) => line.slice(2)) })
  })
}
