import fc from "fast-check";

/** The URL of a camera or its stream, as vendors and services write it. */
export interface VendorUrl {
  url: string;
  /** The secrets, in each form that the URL contains. */
  secrets: string[];
}

/** Writes a secret into a URL, at a place for it. */
type Form = (secret: string) => string;

/** Vendors put the password there in plain or encoded text. */
const passwordForms: Form[] = [
  // Hikvision, Dahua, Axis, TP-Link.
  (secret) => `rtsp://admin:${secret}@10.0.0.1:554/Streaming/Channels/101`,
  (secret) => `rtsp://admin%3A${secret}@10.0.0.1:554/stream1`,
  (secret) => `rtsp://admin:${secret}@10.0.0.1/axis-media/media.amp?videocodec=h264&resolution=1280x720`,
  (secret) =>
    `rtsp://10.0.0.1/Streaming/tracks/101?starttime=20241013T093812Z&username=admin&password=${secret}`,
  // XMEye.
  (secret) => `rtsp://10.0.0.1:554/user=admin&password=${secret}&channel=1&stream=0.sdp?real_stream`,
  (secret) => `rtsp://10.0.0.1:554/user=admin_password=${secret}_channel=1_stream=0.sdp?real_stream`,
  (secret) => `rtsp://10.0.0.1:554/USER=admin&PASSWORD=${secret}&channel=1&stream=0.sdp?`,
  // Foscam and its relatives.
  (secret) => `http://10.0.0.1:88/cgi-bin/CGIProxy.fcgi?cmd=snapPicture2&usr=admin&pwd=${secret}`,
  (secret) => `http://10.0.0.1/videostream.cgi?user=admin&pwd=${secret}&resolution=32&rate=0`,
  (secret) => `http://10.0.0.1/videostream.cgi?loginuse=admin&loginpas=${secret}`,
  // Reolink.
  (secret) => `rtmp://10.0.0.1/bcs/channel0_main.bcs?channel=0&stream=2&user=admin&password=${secret}`,
  (secret) =>
    `https://10.0.0.1/cgi-bin/api.cgi?cmd=Snap&channel=0&rs=${secret}&user=admin&password=${secret}`,
  // ZoneMinder, Blue Iris, Synology.
  (secret) => `http://nvr.example/zm/cgi-bin/nph-zms?mode=jpeg&user=admin&pass=${secret}`,
  (secret) => `http://nvr.example:81/mjpg/video.mjpg?user=admin&pw=${secret}`,
  (secret) => `http://nvr.example/webapi/entry.cgi?account=admin&passwd=${secret}&version=2`,
  // Names in other notations, separators, and places.
  (secret) => `http://10.0.0.1/video?%70wd=${secret}&Channel=1`,
  (secret) => `http://10.0.0.1/video?user=admin;psw=${secret};channel=1`,
  (secret) => `http://10.0.0.1/video?access-token=${secret}`,
  (secret) => `http://10.0.0.1/video?user[pwd]=${secret}&channel=1`,
  (secret) => `http://10.0.0.1/video;pwd=${secret}?channel=1`,
  (secret) => `http://10.0.0.1/password%3D${secret}/video`,
  (secret) => `http://10.0.0.1/token/${secret}/video.m3u8`,
  (secret) => `http://10.0.0.1/video#user=admin&pwd=${secret}`,
  (secret) => `http://10.0.0.1/video?${secret}`,
  (secret) => `http://10.0.0.1/video?channel=1#${secret}`,
  (secret) => `http://10.0.0.1/video?q=${secret}&channel=1`,
  (secret) => `http://relay.example/rtsp://admin:${secret}@10.0.0.1/video`,
  // Installers put passwords there by hand.
  (secret) => `rtsp://10.0.0.1/user:${secret}@/live`,
  (secret) => `rtsp://10.0.0.1/0/admin:${secret}/main`,
  (secret) => `rtsp://10.0.0.1/live/admin:${secret}`,
  (secret) => `rtsp://10.0.0.1/live/admin%3A${secret}`,
  (secret) => `rtsp://10.0.0.1/pass:${secret}/live`,
  (secret) => `http://10.0.0.1/password:${secret}`,
  (secret) => `rtsp://10.0.0.1/live?user=admin,${secret}`,
  (secret) => `rtsp://10.0.0.1/live?user=admin%7C${secret}&channel=1`,
  (secret) => `http://10.0.0.1/admin|${secret}/x`,
  (secret) => `rtsp://10.0.0.1/user(admin)password(${secret})`,
  (secret) => `rtsp://10.0.0.1/user(admin)password(${secret})channel(1)`,
  (secret) => `rtsp://10.0.0.1/admin/${secret}/ch1`,
  (secret) => `rtsp://10.0.0.1/login/admin/${secret}`,
  (secret) => `rtsp://10.0.0.1/user/ada/${secret}/live`,
  (secret) => `rtsp://10.0.0.1/admin@${secret}/live`,
  (secret) => `http://relay.example/pull?src=${encodeURIComponent(`rtsp://admin:${secret}@10.0.0.1/video`)}`,
  (secret) => `http://relay.example/pull/${encodeURIComponent(`http://10.0.0.1/?pwd=${secret}`)}/video`,
];

/** Services put random tokens and signatures there. */
const tokenForms: Form[] = [
  (token) => `https://stream.example/nexus/live.m3u8?auth=${token}`,
  (token) => `rtmps://stream.example/live/camera?token=${token}`,
  (token) => `https://d111.example/hls/live.m3u8?Policy=${token}&Signature=${token}&Key-Pair-Id=${token}`,
  (token) => `https://bucket.example/live.m3u8?X-Amz-Security-Token=${token}&X-Amz-Signature=${token}`,
  (token) => `https://account.example/live.mp4?sv=2022&sig=${token}%3D`,
  (token) => `https://kinesis.example/hls/v1/getHLSMasterPlaylist.m3u8?SessionToken=${token}`,
  (token) => `https://cloud.example/openlive/${token}.m3u8?expire=1700000000&t=${token}`,
  (token) => `rtmp://ingest.example/live2/${token}`,
  (token) => `http://10.0.0.1:7447/${token}`,
  (token) => `https://cloud.example/camera/${token}/video?apiKey=${token}`,
  (token) => `rtsp://${token}@stream.example/video`,
];

/** User and password in Base64. */
const basicForms: Form[] = [
  (basic) => `rtsp://10.0.0.1:554/cam/realmonitor?channel=1&subtype=0&authbasic=${basic}`,
  (basic) => `http://10.0.0.1/video?stream=${basic}`,
  (basic) => `http://10.0.0.1/live/${basic}/ch1`,
  (basic) => `http://10.0.0.1/live/${basic}`,
  (basic) => `http://10.0.0.1/Basic%20${encodeURIComponent(basic)}/video`,
  (basic) => `http://10.0.0.1/auth=${basic}&channel=1`,
  (basic) => `http://10.0.0.1/video?channel=1#auth=${basic}`,
  (basic) => `rtsp://${encodeURIComponent(basic)}@10.0.0.1/video`,
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
  { weight: 4, arbitrary: written(passwordForms, password) },
  { weight: 2, arbitrary: written(tokenForms, token) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...basicForms), anyPassword, fc.boolean())
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
  "rtsp://10.0.0.1/axis-media/media.amp?videocodec=h264&resolution=1280x720&fps=25&compression=30",
  "rtsp://10.0.0.1/onvif-media/media.amp?profile=profile_1_h264&streamtype=unicast",
  "rtsp://10.0.0.1/rtsp_tunnel?h26x=4&line=1",
  "rtsp://10.0.0.1/h264Preview_01_main",
  "rtsp://10.0.0.1/MediaInput/h264",
  "rtsp://10.0.0.1/chID=1&streamType=main",
  "rtsp://10.0.0.1/live/0/h264.sdp",
  "rtsp://[2001:db8::1]:8554/videoMain",
  "rtmp://10.0.0.1/bcs/channel0_main.bcs?channel=0&stream=2",
  "http://10.0.0.1/mjpg/video.mjpg?camera=1&resolution=640x480",
  "https://streams.example/hls/index.m3u8",
  "rtsp://10.0.0.1/live/ch00_0",
  "http://10.0.0.1",
];

/** URLs, and what is shown of them. */
export const partlyShownUrls: [url: string, shown: string][] = [
  ["rtsp://admin:secret@10.0.0.1:554/stream", "rtsp://***@10.0.0.1:554/stream"],
  ["rtsp://:secret@10.0.0.1/", "rtsp://***@10.0.0.1/"],
  ["rtsp://key-of-somebody@10.0.0.1/live", "rtsp://***@10.0.0.1/live"],
  ["RTMPS://admin:secret@[fe80::1]:8080/", "RTMPS://***@[fe80::1]:8080/"],
  ["rtsp://10.0.0.1/admin/888888/ch1/main", "rtsp://10.0.0.1/***/***/ch1/main"],
  ["rtsp://10.0.0.1/123/live/4711", "rtsp://10.0.0.1/***/live/***"],
  ["rtsp://10.0.0.1/live/sesame/7", "rtsp://10.0.0.1/live/***/***"],
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
  ["http:admin:secret@10.0.0.1/", "***"],
  ["http:///admin:secret@10.0.0.1/", "***"],
  ["http:\\\\admin:secret@10.0.0.1/", "***"],
  [" http://admin:secret@10.0.0.1/", "***"],
  ["ht\ttp://admin:secret@10.0.0.1/", "***"],
];
