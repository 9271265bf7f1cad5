/**
 * Secrets that are recognised in any form: plain, in hex, in base64 at every alignment, percent-encoded, as a decimal
 * number, as bytes.
 */
import { randomBytes } from "node:crypto"

/** A text that occurs nowhere by chance. */
export const makeMarker = (name: string): string => `${name}-${randomBytes(12).toString("hex")}`

const HEX32 = /^0x[0-9a-f]{64}$/iu

/** The base64 of some bytes inside a longer text: the part that does not depend on the bytes around them. */
const base64Within = (bytes: Buffer): ReadonlyArray<string> =>
  [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64").replace(/=+$/, "")
    // Four characters hold three bytes. Characters that share a byte with a neighbour are left out.
    const own = encoded.slice(before === 0 ? 0 : 4, encoded.length - 4)
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")]
  })

const formsOfBytes = (bytes: Buffer): ReadonlyArray<string> => [
  bytes.toString("hex"),
  [...bytes].join(","),
  ...base64Within(bytes)
]

const formsOf = (secret: string): ReadonlyArray<string> => {
  const text = Buffer.from(secret)
  const key = HEX32.test(secret) ? Buffer.from(secret.slice(2), "hex") : undefined
  const forms = [
    secret,
    encodeURIComponent(secret),
    ...formsOfBytes(text),
    ...(key === undefined ? [] : [secret.slice(2), BigInt(secret).toString(), ...formsOfBytes(key)])
  ]
  return [...new Set(forms)]
}

export interface Leak {
  readonly secret: string
  readonly where: string
  readonly around: string
}

/** Finds any form of any of the secrets, in upper or lower case where case has no meaning. */
export const makeLeakFinder = (secrets: Readonly<Record<string, string>>) => {
  const forms = Object.entries(secrets).flatMap(([name, secret]) =>
    formsOf(secret).map((form) => [name, form] as const)
  )
  return (where: string, text: string): ReadonlyArray<Leak> => {
    const lower = text.toLowerCase()
    return forms.flatMap(([secret, form]) => {
      const at = lower.indexOf(form.toLowerCase())
      return at < 0 ? [] : [{ secret, where, around: text.slice(Math.max(0, at - 80), at + form.length + 40) }]
    })
  }
}
