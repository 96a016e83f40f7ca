import fc from "fast-check";

/** The URL of a camera or its stream, as vendors and services write it. */
export interface VendorUrl {
  url: string;
  /** The secrets, in each form that the URL contains. */
  secrets: string[];
}

/** Writes a secret into a URL, at a place for it. */
type Form = (secret: string) => string;

/** Vendors and installers put a password there, services a token, in plain or encoded text. */
const forms: Form[] = [
  (secret) => `rtsp://admin:${secret}@10.0.0.1:554/Streaming/Channels/101`,
  (secret) => `rtsp://admin%3A${secret}@10.0.0.1:554/stream1`,
  (secret) => `rtsp://10.0.0.1:554/user=admin_password=${secret}_channel=1_stream=0.sdp?real_stream`,
  (secret) => `http://10.0.0.1/videostream.cgi?user=admin&pwd=${secret}&resolution=32&rate=0`,
  (secret) => `http://10.0.0.1/video?%70wd=${secret};user[pwd]=${secret}&Channel=1`,
  (secret) => `http://10.0.0.1/video?${secret}#user=admin&pwd=${secret}`,
  (secret) => `http://relay.example/rtsp://admin:${secret}@10.0.0.1/video`,
  (secret) => `rtsp://10.0.0.1/user:${secret}@/live`,
  (secret) => `rtsp://10.0.0.1/live/admin%3A${secret}`,
  (secret) => `rtsp://10.0.0.1/live?user=admin,${secret}`,
  (secret) => `rtsp://10.0.0.1/user(admin)password(${secret})channel(1)`,
  (secret) => `rtsp://10.0.0.1/login/admin/${secret}/ch1`,
  (secret) => `http://relay.example/pull?src=${encodeURIComponent(`rtsp://admin:${secret}@10.0.0.1/video`)}`,
  (secret) => `https://bucket.example/live.m3u8?X-Amz-Security-Token=${secret}&stream=${secret}`,
];

/** A token or user and password in Base64. */
const encodedForms: Form[] = [
  (encoded) => `rtsp://10.0.0.1:554/cam/realmonitor?channel=1&subtype=0&authbasic=${encoded}`,
  (encoded) => `http://10.0.0.1/live/${encoded}/ch1?stream=${encoded}`,
  (encoded) => `rtsp://${encodeURIComponent(encoded)}@10.0.0.1/video`,
];

/** Three asterisks stand for what is hidden. */
const password = fc
  .stringMatching(/^[A-Za-z0-9!$*+~-]{6,20}$/)
  .map((text) => `x${text.replaceAll("***", "**%2A")}`);
const token = fc.oneof(
  fc
    .uint8Array({ minLength: 24, maxLength: 48 })
    .map((bytes) => `0a1B2c3D${Buffer.from(bytes).toString("base64url")}`),
  fc
    .uint8Array({ minLength: 16, maxLength: 32 })
    .map((bytes) => `0a1b2c3d4e${Buffer.from(bytes).toString("hex")}`),
  fc.uuid(),
  fc.constant("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"),
);
/** Including characters for which Base64 has a slash or a plus. */
const anyPassword = fc.oneof(
  password,
  fc.stringMatching(/^[ -~]{6,20}$/),
  fc.constantFrom("s??>>>x", "öffne-dich"),
);

/** The URL of a form with a secret, in that form and others. */
function vendorUrlOf(form: Form, secret: string, others: string[] = []): VendorUrl {
  return { url: form(secret), secrets: [secret, encodeURIComponent(secret), ...others] };
}

const written = (forms: readonly Form[], secret: fc.Arbitrary<string>) =>
  fc.tuple(fc.constantFrom(...forms), secret).map(([form, text]) => vendorUrlOf(form, text));

export const vendorUrl: fc.Arbitrary<VendorUrl> = fc.oneof(
  { weight: 4, arbitrary: written(forms, fc.oneof(password, token)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...encodedForms), anyPassword, fc.boolean())
      .map(([form, text, isPadded]) => {
        const padded = Buffer.from(`admin:${text}`).toString("base64");
        const basic = isPadded ? padded : padded.replace(/=+$/, "");
        // It may have slashes.
        return vendorUrlOf(
          form,
          basic,
          basic.split("/").filter((part) => part.length > 3),
        );
      }),
  },
);

/** URLs of which everything is shown, in the notations of many vendors. */
export const harmlessUrls = [
  "rtsp://10.0.0.1:554/Streaming/Channels/102?transportmode=unicast",
  "rtsp://10.0.0.1:554/h264/ch1/main/av_stream",
  "rtsp://10.0.0.1:554/cam/realmonitor?channel=1&subtype=0",
  "rtsp://10.0.0.1/axis-media/media.amp?videocodec=h264&fps=25",
  "rtsp://10.0.0.1/onvif-media/media.amp?profile=profile_1_h264&streamtype=unicast",
  "rtsp://10.0.0.1/h264Preview_01_main",
  "rtsp://10.0.0.1/MediaInput/h264",
  "rtsp://10.0.0.1/live/0/h264.sdp",
  "rtsp://[2001:db8::1]:8554/videoMain",
  "rtmp://10.0.0.1/bcs/channel0_main.bcs?channel=0&stream=2",
  "http://10.0.0.1/mjpg/video.mjpg?camera=1",
  "https://streams.example/hls/index.m3u8",
  "rtsp://10.0.0.1/live/ch00_0",
  "http://10.0.0.1",
];

/** URLs, and what is shown of them. */
export const partlyShownUrls: [url: string, shown: string][] = [
  ["rtsp://admin:secret@10.0.0.1:554/stream", "rtsp://admin:***@10.0.0.1:554/stream"],
  ["rtsp://:secret@10.0.0.1/", "rtsp://***@10.0.0.1/"],
  ["rtsp://key-of-somebody@10.0.0.1/live", "rtsp://***@10.0.0.1/live"],
  ["RTMPS://admin:secret@[fe80::1]:8080/", "RTMPS://admin:***@[fe80::1]:8080/"],
  ["rtsp://10.0.0.1/admin/888888/ch1/main", "rtsp://10.0.0.1/***/***/ch1/main"],
  ["rtsp://10.0.0.1/123/live/4711", "rtsp://10.0.0.1/123/live/***"],
  ["rtsp://10.0.0.1/live/sesame/7", "rtsp://10.0.0.1/live/***/7"],
  ["rtsp://10.0.0.1/stream?channel=hunter2&pin=123", "rtsp://10.0.0.1/stream?channel=***&***"],
  ["rtsp://10.0.0.1/stream?channel=1#sesame", "rtsp://10.0.0.1/stream?channel=1#***"],
  ["rtsp://10.0.0.1/user=admin_password=x_channel=1_stream=0.sdp", "rtsp://10.0.0.1/***"],
  ["rtsp://10.0.0.1/user=admin&password=x&channel=1&stream=0", "rtsp://10.0.0.1/***&***&channel=1&stream=0"],
  ["rtsp://10.0.0.1/camera2024/channel1234", "rtsp://10.0.0.1/***/***"],
  ["rtsp://10.0.0.1/%6Cive/live%20", "rtsp://10.0.0.1/***/***"],
  ["rtsp://10.0.0.1/rtsp://admin:12@10.0.0.2/live", "rtsp://10.0.0.1/***//***/live"],
  ["rtsp://10.0.0.1:554;token=s3cret/live", "rtsp://10.0.0.1:554;***/live"],
  ["rtsp://10.0.0.1:s3cret/live", "rtsp://10.0.0.1***/live"],
  ["rtsp://10.0.0.1:12s3cret/live", "rtsp://10.0.0.1***/live"],
  ["http://camera.example,s3cret:81/video", "http://camera.example***/video"],
  ["rtsp://[fe80::1]s3cret/live", "rtsp://[fe80::1]***/live"],
  ["rtsp://10.0.0.1/live-482-913-774", "rtsp://10.0.0.1/***"],
  ["rtsp://admin:12/main/34@10.0.0.1/live", "rtsp://admin***/***/***/live"],
  ["rtsp://admin:Pa?channel=1&ss@10.0.0.1/live", "rtsp://admin***?***&***/live"],
  ["rtsp://key-of-somebody@%63am.example/live", "***"],
  ["http:admin:secret@10.0.0.1/", "***"],
  ["http:///admin:secret@10.0.0.1/", "***"],
  ["http:\\\\admin:secret@10.0.0.1/", "***"],
  [" http://admin:secret@10.0.0.1/", "***"],
  ["ht\ttp://admin:secret@10.0.0.1/", "***"],
];
