/** A self-signed certificate for a name, made for one test: the repository holds no key, and no program is needed. */
import { generateKeyPairSync, sign } from "node:crypto"

const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const header = length < 128
    ? [tag, length]
    : length < 256
    ? [tag, 0x81, length]
    : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(header), content])
}

const sequence = (...parts: ReadonlyArray<Uint8Array>) => der(0x30, ...parts)
const hex = (text: string) => Buffer.from(text, "hex")

const ecdsaWithSha256 = sequence(hex("06082a8648ce3d040302"))
const validity = sequence(der(0x17, Buffer.from("200101000000Z")), der(0x17, Buffer.from("491231235959Z")))

/** Certificate and private key as PEM. The certificate is its own authority. */
export const certificateFor = (name: string) => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const subject = sequence(der(0x31, sequence(hex("0603550403"), der(0x0c, Buffer.from(name)))))
  const alternativeName = sequence(hex("0603551d11"), der(0x04, sequence(der(0x82, Buffer.from(name)))))
  const body = sequence(
    der(0xa0, hex("020102")),
    hex("020101"),
    ecdsaWithSha256,
    subject,
    validity,
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(alternativeName))
  )
  const signature = der(0x03, hex("00"), sign("sha256", body, privateKey))
  const base64 = sequence(body, ecdsaWithSha256, signature).toString("base64").replaceAll(/.{64}/gu, "$&\n")
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  }
}
