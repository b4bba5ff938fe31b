import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

const SECRET_BYTES = 32

/** The browser's own HMAC is there for secure pages only, and an install in a local network is none. */
export const signatureOf = (secret: string, body: string): string =>
  `sha256=${bytesToHex(hmac(sha256, utf8ToBytes(secret), utf8ToBytes(body)))}`

export const newSecret = (): string => bytesToHex(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))

/** Programs that deliver to a webhook, ready to be run once `SECRET` is in the environment. */
export const SIGNING_EXAMPLES = {
  curl: (url: string) => `BODY='{"hello": "world"}'
SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/.* //')
curl ${url} \\
  -H "X-Service-Signature: sha256=$SIGNATURE" \\
  -H 'Content-Type: application/json' \\
  --data-binary "$BODY"`,

  node: (url: string) => `import { createHmac } from 'node:crypto'

const body = JSON.stringify({ hello: 'world' })
const signature = createHmac('sha256', process.env.SECRET).update(body).digest('hex')
const answer = await fetch('${url}', {
  method: 'POST',
  headers: { 'x-service-signature': \`sha256=\${signature}\`, 'content-type': 'application/json' },
  body,
})
console.log(answer.status, await answer.text())`,

  python: (url: string) => `import hashlib, hmac, json, os, urllib.request

body = json.dumps({"hello": "world"}).encode()
signature = hmac.new(os.environ["SECRET"].encode(), body, hashlib.sha256).hexdigest()
headers = {"X-Service-Signature": f"sha256={signature}", "Content-Type": "application/json"}
with urllib.request.urlopen(urllib.request.Request("${url}", body, headers)) as answer:
    print(answer.status, answer.read().decode())`,
}
export type Language = keyof typeof SIGNING_EXAMPLES
