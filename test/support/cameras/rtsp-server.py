"""An RTSP server on loopback with the streams of several cameras.

Listens on four ports: one for anybody, one for Basic, one for Digest, and one for anybody
that allows a single session. User and password are the two parameters. Prints its ports
as JSON, and then a line with the path of each stream that a client plays.
"""

import json
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer

VIDEO = "videotestsrc is-live=true ! video/x-raw,width={width},height={height},framerate=10/1"
X264 = "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=10"
H264 = f"{X264} ! h264parse ! rtph264pay name=pay0 pt=96"
H265 = "x265enc tune=zerolatency speed-preset=ultrafast key-int-max=10 ! h265parse ! rtph265pay name=pay0 pt=96"
AUDIO = "audiotestsrc is-live=true ! alawenc ! rtppcmapay name={name} pt=8"

small = VIDEO.format(width=320, height=180)
odd = VIDEO.format(width=322, height=182)

STREAMS = {
    "/h264": f"{small} ! {H264}",
    "/h265": f"{small} ! {H265}",
    # Key frames four seconds apart.
    "/rare-keyframes": f"{small} ! {H264.replace('key-int-max=10', 'key-int-max=40')}",
    # JPEG over RTP knows no other numbers of lines than multiples of eight.
    "/jpeg": f"{VIDEO.format(width=320, height=184)},format=I420 ! jpegenc ! rtpjpegpay name=pay0 pt=26",
    "/with-audio": f"{small} ! {H264} {AUDIO.format(name='pay1')}",
    "/audio-first": f"{AUDIO.format(name='pay0')} {small} ! {H264.replace('pay0', 'pay1')}",
    # Pixels that are not square: 16:11, as those of PAL in 16:9.
    "/wide-pixels": f"{VIDEO.format(width=352, height=288)},pixel-aspect-ratio=16/11 ! {H264}",
    # Ten bits, full resolution of colours.
    "/ten-bits": f"{odd} ! videoconvert ! video/x-raw,format=Y444_10LE ! {H264}",
    "/audio-only": AUDIO.format(name="pay0"),
    # Pictures, but never one that can be shown without those before it.
    "/without-keyframe": f"{small} ! {X264} ! h264parse name=parser ! rtph264pay name=pay0 pt=96",
}


def drop_keyframes(_pad, info):
    is_keyframe = not info.get_buffer().has_flags(Gst.BufferFlags.DELTA_UNIT)
    return Gst.PadProbeReturn.DROP if is_keyframe else Gst.PadProbeReturn.OK


def configure(_factory, media):
    parser = media.get_element().get_by_name("parser")
    if parser:
        parser.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, drop_keyframes)


def connected(_server, client):
    client.connect("play-request", lambda _client, context: print(context.uri.abspath, flush=True))


def serve(method=None, sessions=0):
    """Listens on an unused port. Returns it."""
    server = GstRtspServer.RTSPServer(address="127.0.0.1", service="0")
    # 0 is any number.
    server.get_session_pool().set_max_sessions(sessions)
    if method is not None:
        user, password = sys.argv[1:]
        token = GstRtspServer.RTSPToken()
        token.set_string("media.factory.role", "viewer")
        authentication = GstRtspServer.RTSPAuth()
        authentication.set_supported_methods(method)
        if method == GstRtsp.RTSPAuthMethod.BASIC:
            authentication.add_basic(GstRtspServer.RTSPAuth.make_basic(user, password), token)
        else:
            authentication.add_digest(user, password, token)
        server.set_auth(authentication)
    for path, launch in STREAMS.items():
        factory = GstRtspServer.RTSPMediaFactory(launch=f"( {launch} )", shared=True)
        factory.connect("media-configure", configure)
        if method is not None:
            permissions = GstRtspServer.RTSPPermissions()
            permissions.add_permission_for_role("viewer", "media.factory.access", True)
            permissions.add_permission_for_role("viewer", "media.factory.construct", True)
            factory.set_permissions(permissions)
        server.get_mount_points().add_factory(path, factory)
    server.connect("client-connected", connected)
    server.attach(None)
    servers.append(server)
    return server.get_bound_port()


Gst.init(None)
servers = []
ports = {
    "open": serve(),
    "basic": serve(GstRtsp.RTSPAuthMethod.BASIC),
    "digest": serve(GstRtsp.RTSPAuthMethod.DIGEST),
    "single": serve(sessions=1),
}
print(json.dumps(ports), flush=True)
GLib.MainLoop().run()
