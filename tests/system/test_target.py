"""loadstone-target as its users meet it: a real process, raw HTTP with our own signatures, awscli.

The binary is found through LOADSTONE_BIN (a folder; build/release/bin by default).
"""
import base64
import datetime
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import threading
import time
import zlib
from urllib.parse import quote

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("LOADSTONE_BIN", ROOT / "build/release/bin")) / "loadstone-target"
ACCESS, SECRET = "loadstone", "loadstone-secret"
EMPTY = hashlib.sha256(b"").hexdigest()


def hmac256(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def encode(text):
    return quote(text, safe="-_.~")


def canonical_query(query):
    return "&".join(f"{encode(k)}={encode(v)}" for k, v in sorted(query.items()))


class Signature:
    """SigV4 of one request: headers to send, and what chunk signatures start from."""

    def __init__(self, method, host, path, query, headers, payload, access, secret, region, skew=0):
        now = datetime.datetime.utcnow() + datetime.timedelta(seconds=skew)
        self.date = now.strftime("%Y%m%dT%H%M%SZ")
        day = self.date[:8]
        self.scope = f"{day}/{region}/s3/aws4_request"
        self.headers = {"Host": host, "x-amz-date": self.date, "x-amz-content-sha256": payload, **headers}
        signed = {k.lower(): " ".join(v.split()) for k, v in self.headers.items()
                  if k.lower() in ("host", "content-md5", "content-type") or k.lower().startswith("x-amz-")}
        names = ";".join(sorted(signed))
        request = "\n".join([method, quote(path, safe="/-_.~"), canonical_query(query),
                             "".join(f"{k}:{signed[k]}\n" for k in sorted(signed)), names, payload])
        text = f"AWS4-HMAC-SHA256\n{self.date}\n{self.scope}\n" + hashlib.sha256(request.encode()).hexdigest()
        self.key = b"AWS4" + secret.encode()
        for step in (day, region, "s3", "aws4_request"):
            self.key = hmac256(self.key, step)
        self.signature = hmac256(self.key, text).hex()
        self.headers["Authorization"] = (f"AWS4-HMAC-SHA256 Credential={access}/{self.scope}, "
                                         f"SignedHeaders={names}, Signature={self.signature}")


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.body = status, body
        self.headers = {k.lower(): v for k, v in headers}

    @property
    def code(self):
        return self.xml("Code") or ""

    def xml(self, tag):
        found = re.search(rf"<{tag}>(.*?)</{tag}>", self.body.decode(), re.S)
        return found.group(1) if found else None

    def all(self, tag):
        return re.findall(rf"<{tag}>(.*?)</{tag}>", self.body.decode(), re.S)


class Target:
    def __init__(self, *args):
        self.process = subprocess.Popen([BIN, "--port", "0", *args], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.match(r"loadstone-target listening on (https?)://(\S+):(\d+) ", line)
        assert found, line + self.process.stderr.read()
        self.tls = found.group(1) == "https"
        self.port = int(found.group(3))
        self.host = f"127.0.0.1:{self.port}"
        self.url = f"{found.group(1)}://{self.host}"

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.process.terminate()
        out, err = self.process.communicate(timeout=20)
        assert self.process.returncode == 0, err
        assert err == ""

    def connect(self):
        if self.tls:
            return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30,
                                               context=ssl._create_unverified_context())
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def socket(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def send(self, method, path, query=None, headers=None, body=None, connection=None):
        url = quote(path, safe="/-_.~") + ("?" + canonical_query(query) if query else "")
        c = connection or self.connect()
        c.putrequest(method, url, skip_host=True, skip_accept_encoding=True)
        for name, value in {"Host": self.host, **(headers or {})}.items():
            c.putheader(name, value)
        if body is not None:
            c.putheader("Content-Length", str(len(body)))
        c.endheaders(body or None)
        r = c.getresponse()
        answer = Answer(r.status, r.getheaders(), r.read())
        if not connection:
            c.close()
        return answer

    def sign(self, method, path, query=None, headers=None, payload=EMPTY, access=ACCESS, secret=SECRET,
             region="us-east-1", skew=0, host=None):
        return Signature(method, host or self.host, path, query or {}, headers or {}, payload, access, secret,
                         region, skew)

    def call(self, method, path, query=None, headers=None, body=None, payload=None, connection=None, **sign):
        payload = payload or hashlib.sha256(body or b"").hexdigest()
        signed = self.sign(method, path, query, headers, payload, **sign)
        return self.send(method, path, query, signed.headers, body, connection)

    def stats(self, reset=False):
        return json.loads(self.send("GET", "/_loadstone/stats", {"reset": "1"} if reset else None).body)

    def faults(self, text):
        answer = self.send("PUT", "/_loadstone/faults", body=text.encode())
        assert answer.status == 200, answer.body
        return json.loads(answer.body)


@pytest.fixture(scope="module")
def target():
    with Target("--threads", "2") as running:
        yield running


@pytest.fixture
def bucket(target, request):
    """A fresh bucket, named after the test."""
    name = re.sub("[^a-z0-9]+", "-", request.node.name.lower()).strip("-")[:60]
    assert target.call("PUT", "/" + name).status == 200
    return "/" + name


@pytest.fixture
def null_target():
    with Target("--null") as running:
        assert running.call("PUT", "/b12").status == 200
        yield running


# ---- buckets ----

def test_creating_a_bucket_again_is_fine_for_its_owner(target, bucket):
    assert target.call("PUT", bucket).status == 200
    assert bucket[1:] in target.call("GET", "/").all("Name")


@pytest.mark.parametrize("name", ["ab", "Has_Capital", "-dash", "a..b", "1.2.3.4", "x" * 64])
def test_bad_bucket_names_are_refused(target, name):
    answer = target.call("PUT", "/" + name)
    assert (answer.status, answer.code) == (400, "InvalidBucketName")


def test_a_bucket_with_objects_is_not_deleted(target, bucket):
    target.call("PUT", bucket + "/k", body=b"x")
    answer = target.call("DELETE", bucket)
    assert (answer.status, answer.code) == (409, "BucketNotEmpty")
    assert target.call("DELETE", bucket + "/k").status == 204
    assert target.call("DELETE", bucket).status == 204
    assert target.call("HEAD", bucket).status == 404
    assert target.call("DELETE", bucket).code == "NoSuchBucket"


@pytest.mark.parametrize("setting,status", [("versioning", 200), ("acl", 200), ("location", 200),
                                            ("requestPayment", 200), ("policy", 404), ("cors", 404),
                                            ("lifecycle", 404), ("tagging", 404)])
def test_questions_about_bucket_settings_have_harmless_answers(target, bucket, setting, status):
    assert target.call("GET", bucket, {setting: ""}).status == status


def test_a_sub_resource_nobody_serves_is_501_and_changes_nothing(target, bucket):
    assert target.call("DELETE", bucket, {"lifecycle": ""}).status == 501
    assert target.call("HEAD", bucket).status == 200


# ---- objects ----

def test_an_object_comes_back_as_it_was_put(target, bucket):
    data = os.urandom(100_000)
    put = target.call("PUT", bucket + "/a b+c%25/ü", body=data,
                      headers={"Content-Type": "text/x-odd", "x-amz-meta-Colour": "dark blue"})
    etag = '"' + hashlib.md5(data).hexdigest() + '"'
    assert (put.status, put.headers["etag"]) == (200, etag)
    got = target.call("GET", bucket + "/a b+c%25/ü")
    assert got.body == data
    assert got.headers["etag"] == etag
    assert got.headers["content-type"] == "text/x-odd"
    assert got.headers["x-amz-meta-colour"] == "dark blue"
    head = target.call("HEAD", bucket + "/a b+c%25/ü")
    assert (head.status, head.headers["content-length"], head.body) == (200, "100000", b"")
    assert target.call("DELETE", bucket + "/a b+c%25/ü").status == 204
    assert target.call("GET", bucket + "/a b+c%25/ü").code == "NoSuchKey"
    assert target.call("DELETE", bucket + "/a b+c%25/ü").status == 204


def test_missing_things_are_named(target, bucket):
    assert target.call("GET", bucket + "/none").code == "NoSuchKey"
    assert target.call("HEAD", bucket + "/none").status == 404
    assert target.call("GET", "/no-such-bucket/none").code == "NoSuchBucket"
    assert target.call("PUT", "/no-such-bucket/none", body=b"x").code == "NoSuchBucket"
    assert target.call("POST", bucket + "/k").code == "MethodNotAllowed"


@pytest.mark.parametrize("spec,status,first,last", [
    ("bytes=0-9", 206, 0, 9), ("bytes=-5", 206, 9995, 9999), ("bytes=9990-", 206, 9990, 9999),
    ("bytes=9990-20000", 206, 9990, 9999), ("bytes=-20000", 206, 0, 9999), ("bytes=0-1,5-6", 206, 0, 1),
    ("bytes=20000-", 416, 0, 0), ("bytes=5-1", 416, 0, 0), ("bytes=-0", 416, 0, 0),
    ("bytes=x-1", 200, 0, 9999), ("lines=1-2", 200, 0, 9999)])
def test_ranges(target, bucket, spec, status, first, last):
    data = os.urandom(10_000)
    target.call("PUT", bucket + "/o", body=data)
    got = target.call("GET", bucket + "/o", headers={"Range": spec})
    assert got.status == status
    if status == 416:
        assert got.code == "InvalidRange"
    else:
        assert got.body == data[first:last + 1]
    if status == 206:
        assert got.headers["content-range"] == f"bytes {first}-{last}/10000"


def test_conditions(target, bucket):
    etag = target.call("PUT", bucket + "/o", body=b"x").headers["etag"]
    assert target.call("GET", bucket + "/o", headers={"If-None-Match": etag}).status == 304
    assert target.call("GET", bucket + "/o", headers={"If-Match": etag}).status == 200
    assert target.call("GET", bucket + "/o", headers={"If-Match": '"00"'}).code == "PreconditionFailed"
    assert target.call("PUT", bucket + "/o", body=b"y", headers={"If-None-Match": "*"}).status == 412
    assert target.call("PUT", bucket + "/new", body=b"y", headers={"If-None-Match": "*"}).status == 200


def test_copy_keeps_content_and_metadata_or_replaces_the_latter(target, bucket):
    data = os.urandom(5000)
    target.call("PUT", bucket + "/from", body=data, headers={"x-amz-meta-a": "1"})
    copied = target.call("PUT", bucket + "/to", headers={"x-amz-copy-source": quote(bucket + "/from")})
    assert copied.xml("ETag") == "&quot;" + hashlib.md5(data).hexdigest() + "&quot;"
    target.call("DELETE", bucket + "/from")
    got = target.call("GET", bucket + "/to")
    assert (got.body, got.headers["x-amz-meta-a"]) == (data, "1")
    target.call("PUT", bucket + "/to", headers={"x-amz-copy-source": bucket + "/to", "x-amz-meta-b": "2",
                                                "x-amz-metadata-directive": "REPLACE"})
    got = target.call("HEAD", bucket + "/to")
    assert "x-amz-meta-a" not in got.headers and got.headers["x-amz-meta-b"] == "2"


@pytest.mark.parametrize("headers,payload,code", [
    ({"Content-MD5": base64.b64encode(hashlib.md5(b"no").digest()).decode()}, None, "BadDigest"),
    ({"Content-MD5": "rubbish"}, None, "InvalidDigest"),
    ({}, "0" * 64, "XAmzContentSHA256Mismatch"),
    ({"x-amz-checksum-crc32": "AAAAAA=="}, None, "BadDigest")])
def test_a_body_that_is_not_what_was_promised_is_refused(target, bucket, headers, payload, code):
    answer = target.call("PUT", bucket + "/k", body=b"yes", headers=headers, payload=payload)
    assert (answer.status, answer.code) == (400, code)
    assert target.call("HEAD", bucket + "/k").status == 404


def test_put_needs_a_length(target, bucket):
    assert target.call("PUT", bucket + "/k").code == "MissingContentLength"
    signed = target.sign("PUT", bucket + "/k", payload="UNSIGNED-PAYLOAD").headers
    c = target.connect()
    c.request("PUT", bucket + "/k", iter([b"abc"]), signed)
    assert c.getresponse().status == 411


def test_keys_have_a_longest_length(target, bucket):
    assert target.call("PUT", bucket + "/" + "k" * 1024, body=b"x").status == 200
    assert target.call("PUT", bucket + "/" + "k" * 1025, body=b"x").code == "KeyTooLongError"


def test_delete_many(target, bucket):
    for key in ("a", "b&c", "d"):
        target.call("PUT", f"{bucket}/{key}", body=b"x")
    document = b"<Delete><Object><Key>a</Key></Object><Object><Key>b&amp;c</Key></Object></Delete>"
    answer = target.call("POST", bucket, {"delete": ""}, body=document)
    assert answer.all("Key") == ["a", "b&amp;c"]
    assert target.call("GET", bucket).all("Key") == ["d"]
    quiet = b"<Delete><Quiet>true</Quiet><Object><Key>d</Key></Object></Delete>"
    assert target.call("POST", bucket, {"delete": ""}, body=quiet).all("Deleted") == []
    assert target.call("GET", bucket).all("Key") == []


@pytest.mark.parametrize("document", [
    b"", b"<Delete>", b"<Delete></Delete>", b"<Other><Object><Key>a</Key></Object></Other>", b"\0\0\0",
    b"<!DOCTYPE d [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><Delete><Object><Key>&e;</Key></Object></Delete>",
    b"<Delete>" + b"<Object><Key>k</Key></Object>" * 1001 + b"</Delete>"])
def test_xml_that_is_not_a_list_of_keys_is_malformed(target, bucket, document):
    answer = target.call("POST", bucket, {"delete": ""}, body=document)
    assert (answer.status, answer.code) == (400, "MalformedXML")


# ---- listing ----

def fill(target, bucket, keys):
    c = target.connect()
    for key in keys:
        assert target.call("PUT", f"{bucket}/{key}", body=b"x", connection=c).status == 200


def test_listing_pages_through_everything_in_order(target, bucket):
    keys = sorted(f"k{i:04d}" for i in range(1005))
    fill(target, bucket, reversed(keys))
    first = target.call("GET", bucket)
    assert first.all("Key") == keys[:1000]
    assert (first.xml("IsTruncated"), first.xml("NextMarker")) == ("true", keys[999])
    rest = target.call("GET", bucket, {"marker": keys[999]})
    assert (rest.all("Key"), rest.xml("IsTruncated")) == (keys[1000:], "false")
    seen, token = [], None
    while True:
        query = {"list-type": "2", "max-keys": "300"}
        if token:
            query["continuation-token"] = token
        page = target.call("GET", bucket, query)
        assert int(page.xml("KeyCount")) == len(page.all("Key"))
        seen += page.all("Key")
        token = page.xml("NextContinuationToken")
        if not token:
            break
    assert seen == keys
    assert target.call("GET", bucket, {"list-type": "2", "start-after": "k1002"}).all("Key") == keys[1003:]
    none = target.call("GET", bucket, {"max-keys": "0"})
    assert (none.all("Key"), none.xml("IsTruncated")) == ([], "false")
    assert target.call("GET", bucket, {"max-keys": "many"}).code == "InvalidArgument"


def test_listing_rolls_up_common_prefixes_across_pages(target, bucket):
    fill(target, bucket, [f"{d}/{i}" for d in ("a", "b", "c") for i in range(5)] + ["top", "z"])
    whole = target.call("GET", bucket, {"delimiter": "/"})
    assert whole.all("Key") == ["top", "z"]
    assert re.findall("<CommonPrefixes><Prefix>(.*?)</Prefix>", whole.body.decode()) == ["a/", "b/", "c/"]
    inner = target.call("GET", bucket, {"delimiter": "/", "prefix": "b/"})
    assert inner.all("Key") == [f"b/{i}" for i in range(5)]
    seen, token = [], None
    while True:
        query = {"list-type": "2", "max-keys": "1", "delimiter": "/"}
        if token:
            query["continuation-token"] = token
        page = target.call("GET", bucket, query)
        seen += re.findall("<(?:Key|CommonPrefixes><Prefix)>(.*?)<", page.body.decode())
        token = page.xml("NextContinuationToken")
        if not token:
            break
    assert seen == ["a/", "b/", "c/", "top", "z"]


def test_odd_keys_are_escaped_or_encoded(target, bucket):
    fill(target, bucket, ["a <&> b", "ü/+"])
    assert target.call("GET", bucket).all("Key") == ["a &lt;&amp;&gt; b", "ü/+"]
    encoded = target.call("GET", bucket, {"encoding-type": "url"})
    assert encoded.all("Key") == ["a%20%3C%26%3E%20b", "%C3%BC%2F%2B"]


# ---- multipart ----

def start_upload(target, path, **kw):
    return target.call("POST", path, {"uploads": ""}, **kw).xml("UploadId")


def complete(target, path, upload, parts):
    document = "<CompleteMultipartUpload>" + "".join(
        f"<Part><PartNumber>{n}</PartNumber><ETag>{e}</ETag></Part>" for n, e in parts) + "</CompleteMultipartUpload>"
    return target.call("POST", path, {"uploadId": upload}, body=document.encode())


def put_part(target, path, upload, number, data):
    answer = target.call("PUT", path, {"partNumber": str(number), "uploadId": upload}, body=data)
    assert answer.status == 200
    return answer.headers["etag"]


def test_multipart_upload(target, bucket):
    path = bucket + "/big"
    one, two = os.urandom(5 << 20), os.urandom(1000)
    upload = start_upload(target, path, headers={"Content-Type": "text/big"})
    tags = [put_part(target, path, upload, n, d) for n, d in ((1, one), (2, two))]
    assert target.call("GET", path, {"uploadId": upload}).all("PartNumber") == ["1", "2"]
    assert target.call("GET", bucket, {"uploads": ""}).all("UploadId") == [upload]
    assert complete(target, path, upload, [(1, tags[0]), (2, '"' + "0" * 32 + '"')]).code == "InvalidPart"
    assert complete(target, path, upload, [(2, tags[1]), (1, tags[0])]).code == "InvalidPartOrder"
    done = complete(target, path, upload, [(1, tags[0]), (2, tags[1])])
    expected = hashlib.md5(hashlib.md5(one).digest() + hashlib.md5(two).digest()).hexdigest() + "-2"
    assert done.xml("ETag") == f"&quot;{expected}&quot;"
    got = target.call("GET", path)
    assert got.body == one + two
    assert got.headers["content-type"] == "text/big"
    edge = target.call("GET", path, headers={"Range": f"bytes={len(one) - 10}-{len(one) + 9}"})
    assert edge.body == one[-10:] + two[:10]
    assert complete(target, path, upload, [(1, tags[0]), (2, tags[1])]).status == 200
    assert complete(target, path, "0" * 32, [(1, tags[0])]).code == "NoSuchUpload"


def test_small_parts_and_aborted_uploads_are_refused(target, bucket):
    path = bucket + "/small"
    upload = start_upload(target, path)
    tags = [put_part(target, path, upload, n, b"few") for n in (1, 2)]
    assert complete(target, path, upload, [(1, tags[0]), (2, tags[1])]).code == "EntityTooSmall"
    assert target.call("DELETE", path, {"uploadId": upload}).status == 204
    assert target.call("DELETE", path, {"uploadId": upload}).code == "NoSuchUpload"
    answer = target.call("PUT", path, {"partNumber": "1", "uploadId": upload}, body=b"x")
    assert answer.code == "NoSuchUpload"
    assert target.call("GET", path).code == "NoSuchKey"


def test_a_part_can_be_copied(target, bucket):
    data = os.urandom(6 << 20)
    target.call("PUT", bucket + "/src", body=data)
    upload = start_upload(target, bucket + "/dst")
    copied = target.call("PUT", bucket + "/dst", {"partNumber": "1", "uploadId": upload},
                         headers={"x-amz-copy-source": bucket + "/src", "x-amz-copy-source-range": "bytes=100-1099"})
    assert complete(target, bucket + "/dst", upload, [(1, copied.xml("ETag").replace("&quot;", ""))]).status == 200
    assert target.call("GET", bucket + "/dst").body == data[100:1100]


# ---- signatures ----

@pytest.mark.parametrize("change,status,code", [
    ({"secret": "wrong"}, 403, "SignatureDoesNotMatch"), ({"access": "nobody"}, 403, "InvalidAccessKeyId"),
    ({"skew": -3600}, 403, "RequestTimeTooSkewed"), ({"skew": 3600}, 403, "RequestTimeTooSkewed"),
    ({"region": "eu-west-1"}, 200, "")])
def test_signatures_in_the_header(target, change, status, code):
    answer = target.call("GET", "/", **change)
    assert (answer.status, answer.code) == (status, code)


def test_a_given_region_is_the_only_one():
    with Target("--region", "eu-west-1") as target:
        assert target.call("GET", "/", region="eu-west-1").status == 200
        assert target.call("GET", "/", region="us-east-1").code == "AuthorizationHeaderMalformed"


def test_unsigned_requests_are_denied_unless_anonymous(target, bucket):
    assert target.send("GET", bucket).code == "AccessDenied"
    with Target("--anonymous") as open_target:
        assert open_target.send("PUT", "/anyone").status == 200
        assert open_target.call("GET", "/anyone", access="nobody").status == 200


def test_changing_any_signed_thing_breaks_the_signature(target, bucket):
    signed = target.sign("GET", bucket, {"prefix": "a"}).headers
    assert target.send("GET", bucket, {"prefix": "a"}, signed).status == 200
    assert target.send("GET", bucket, {"prefix": "b"}, signed).code == "SignatureDoesNotMatch"
    assert target.send("HEAD", bucket, {"prefix": "a"}, signed).status == 403
    assert target.send("GET", bucket, {"prefix": "a"}, {**signed, "Host": "other"}).code == "SignatureDoesNotMatch"


def test_presigned_urls(target, bucket):
    target.call("PUT", bucket + "/o", body=b"content")

    def presign(expires, back=0):
        date = (datetime.datetime.utcnow() - datetime.timedelta(seconds=back)).strftime("%Y%m%dT%H%M%SZ")
        scope = f"{date[:8]}/us-east-1/s3/aws4_request"
        query = {"X-Amz-Algorithm": "AWS4-HMAC-SHA256", "X-Amz-Credential": f"{ACCESS}/{scope}",
                 "X-Amz-Date": date, "X-Amz-Expires": str(expires), "X-Amz-SignedHeaders": "host"}
        request = (f"GET\n{bucket}/o\n{canonical_query(query)}\nhost:{target.host}\n\nhost\nUNSIGNED-PAYLOAD")
        text = f"AWS4-HMAC-SHA256\n{date}\n{scope}\n" + hashlib.sha256(request.encode()).hexdigest()
        key = b"AWS4" + SECRET.encode()
        for step in (date[:8], "us-east-1", "s3", "aws4_request"):
            key = hmac256(key, step)
        return {**query, "X-Amz-Signature": hmac256(key, text).hex()}

    assert target.send("GET", bucket + "/o", presign(300)).body == b"content"
    assert target.send("GET", bucket + "/o", presign(60, back=120)).status == 403
    assert target.send("GET", bucket + "/o", {**presign(300), "X-Amz-Expires": "301"}).code == "SignatureDoesNotMatch"
    assert target.send("GET", bucket + "/o", presign(8 * 86400)).code == "AuthorizationQueryParametersError"


def test_signature_version_2(target, bucket):
    target.call("PUT", bucket + "/o", body=b"content")
    date = datetime.datetime.utcnow().strftime("%a, %d %b %Y %H:%M:%S GMT")

    def header(text):
        mac = hmac.new(SECRET.encode(), text.encode(), hashlib.sha1).digest()
        return f"AWS {ACCESS}:" + base64.b64encode(mac).decode()

    good = header(f"GET\n\n\n{date}\n{bucket}/o")
    assert target.send("GET", bucket + "/o", headers={"Date": date, "Authorization": good}).body == b"content"
    bad = header(f"PUT\n\n\n{date}\n{bucket}/o")
    answer = target.send("GET", bucket + "/o", headers={"Date": date, "Authorization": bad})
    assert answer.code == "SignatureDoesNotMatch"
    sub = header(f"GET\n\n\n\nx-amz-date:{date}\n{bucket}?location")
    assert target.send("GET", bucket, {"location": ""}, {"x-amz-date": date, "Authorization": sub}).status == 200


def test_virtual_host_names_the_bucket(target, bucket):
    target.call("PUT", bucket + "/o", body=b"content")
    host = f"{bucket[1:]}.localhost:{target.port}"
    signed = target.sign("GET", "/o", host=host).headers
    assert target.send("GET", "/o", headers=signed).body == b"content"


def chunked_body(signed, pieces, wrong=None):
    out, last = b"", signed.signature
    for i, piece in enumerate([*pieces, b""]):
        text = (f"AWS4-HMAC-SHA256-PAYLOAD\n{signed.date}\n{signed.scope}\n{last}\n{EMPTY}\n"
                + hashlib.sha256(piece).hexdigest())
        last = hmac256(signed.key, text).hex()
        shown = "0" * 64 if i == wrong else last
        out += b"%x;chunk-signature=%s\r\n%s\r\n" % (len(piece), shown.encode(), piece)
    return out


@pytest.mark.parametrize("sizes,wrong", [([10_000], None), ([65536] * 5 + [7], None), ([], None), ([9000, 9000], 1),
                                         ([9000, 9000], 2)])
def test_signed_chunks(target, bucket, sizes, wrong):
    pieces = [os.urandom(n) for n in sizes]
    signed = target.sign("PUT", bucket + "/o", headers={"x-amz-decoded-content-length": str(sum(sizes))},
                         payload="STREAMING-AWS4-HMAC-SHA256-PAYLOAD")
    signed.headers["Content-Encoding"] = "aws-chunked"
    answer = target.send("PUT", bucket + "/o", headers=signed.headers, body=chunked_body(signed, pieces, wrong))
    if wrong is None:
        assert answer.status == 200
        got = target.call("GET", bucket + "/o")
        assert got.body == b"".join(pieces)
        assert "content-encoding" not in got.headers
    else:
        assert (answer.status, answer.code) == (403, "SignatureDoesNotMatch")
        assert target.call("HEAD", bucket + "/o").status == 404


@pytest.mark.parametrize("crc,status", [(None, 200), (b"AAAAAA==", 400)])
def test_unsigned_chunks_with_a_trailer(target, bucket, crc, status):
    data = os.urandom(50_000)
    good = base64.b64encode(zlib.crc32(data).to_bytes(4, "big"))
    signed = target.sign("PUT", bucket + "/o", payload="STREAMING-UNSIGNED-PAYLOAD-TRAILER",
                         headers={"x-amz-decoded-content-length": str(len(data)),
                                  "x-amz-trailer": "x-amz-checksum-crc32"})
    body = b"%x\r\n%s\r\n0\r\nx-amz-checksum-crc32:%s\r\n\r\n" % (len(data), data, crc or good)
    answer = target.send("PUT", bucket + "/o", headers=signed.headers, body=body)
    assert answer.status == status
    if status == 200:
        assert target.call("GET", bucket + "/o").body == data


# ---- connections ----

def head_of(signed, method, path):
    return (f"{method} {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in signed.headers.items())).encode()


def read_all(sock):
    got = b""
    while True:
        piece = sock.recv(65536)
        if not piece:
            return got
        got += piece


def test_pipelined_requests_are_answered_in_order(target, bucket):
    for i in range(3):
        target.call("PUT", f"{bucket}/{i}", body=b"content-%d;" % i)
    requests = b""
    for i in [0, 1, 2] * 40:
        requests += head_of(target.sign("GET", f"{bucket}/{i}"), "GET", f"{bucket}/{i}") + b"\r\n"
    last = head_of(target.sign("GET", f"{bucket}/0"), "GET", f"{bucket}/0") + b"Connection: close\r\n\r\n"
    with target.socket() as s:
        s.sendall(requests + last)
        got = read_all(s)
    assert re.findall(rb"content-(\d);", got) == [b"0", b"1", b"2"] * 40 + [b"0"]


def test_a_request_in_single_bytes_is_understood(target, bucket):
    signed = target.sign("PUT", bucket + "/slow", payload=hashlib.sha256(b"abc").hexdigest())
    text = head_of(signed, "PUT", bucket + "/slow") + b"Content-Length: 3\r\nConnection: close\r\n\r\nabc"
    with target.socket() as s:
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for i in range(len(text)):
            s.sendall(text[i:i + 1])
        assert read_all(s).startswith(b"HTTP/1.1 200 OK\r\n")
    assert target.call("GET", bucket + "/slow").body == b"abc"


def test_expect_100_continue(target, bucket):
    signed = target.sign("PUT", bucket + "/ex", payload="UNSIGNED-PAYLOAD")
    with target.socket() as s:
        s.sendall(head_of(signed, "PUT", bucket + "/ex") + b"Content-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        assert s.recv(4096) == b"HTTP/1.1 100 Continue\r\n\r\n"
        s.sendall(b"abc")
        assert s.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n")
    signed = target.sign("PUT", "/no-such-bucket/ex", payload="UNSIGNED-PAYLOAD")
    with target.socket() as s:
        s.sendall(head_of(signed, "PUT", "/no-such-bucket/ex") +
                  b"Content-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        got = read_all(s)
        assert got.startswith(b"HTTP/1.1 404 ") and b"Connection: close" in got


def test_http_1_0_is_closed_after_the_answer(target, bucket):
    target.call("PUT", bucket + "/o", body=b"content")
    text = head_of(target.sign("GET", bucket + "/o"), "GET", bucket + "/o").replace(b"HTTP/1.1", b"HTTP/1.0")
    with target.socket() as s:
        s.sendall(text + b"\r\n")
        assert read_all(s).endswith(b"content")


@pytest.mark.parametrize("text,status", [
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400), (b"GET\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\n\r\n", 400), (b"GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
    (b"GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400), (b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
    (b"PUT /b HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", 400),
    (b"PUT /b HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400),
    (b"PUT /b HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    (b"PUT /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
    (b"GET / HTTP/1.1\r\nHost: a\r\n" + b"x: y\r\n" * 200 + b"\r\n", 431),
    (b"GET /" + b"a" * 40000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", 431)])
def test_what_is_no_http_is_refused_and_the_server_goes_on(target, text, status):
    with target.socket() as s:
        s.sendall(text)
        got = read_all(s)
    assert int(got.split()[1]) == status
    assert target.call("GET", "/").status == 200


def test_a_client_that_stops_talking_is_let_go():
    with Target("--idle-timeout", "300ms") as target:
        with target.socket() as silent, target.socket() as half:
            half.sendall(b"GET / HTTP/1.1\r\nHo")
            assert read_all(silent) == b""
            assert read_all(half).startswith(b"HTTP/1.1 408 ")
        target.call("PUT", "/b12")
        with target.socket() as short:
            signed = target.sign("PUT", "/b12/k", payload="UNSIGNED-PAYLOAD")
            short.sendall(head_of(signed, "PUT", "/b12/k") + b"Content-Length: 10\r\n\r\nabc")
            assert read_all(short) == b""
        assert target.call("HEAD", "/b12/k").status == 404


def test_more_connections_than_allowed_are_closed():
    with Target("--max-connections", "3", "--threads", "1") as target:
        held = [target.socket() for _ in range(3)]
        for s in held:
            s.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            assert s.recv(4096)
        with target.socket() as extra:
            try:
                assert extra.recv(10) == b""
            except ConnectionResetError:
                pass
        for s in held:
            s.close()


# ---- null mode and limits ----

def test_null_mode_keeps_sizes_not_bodies(null_target):
    data = os.urandom(3_000_000)
    assert null_target.call("PUT", "/b12/k", body=data, payload="UNSIGNED-PAYLOAD").status == 200
    got = null_target.call("GET", "/b12/k")
    assert len(got.body) == len(data) and got.body != data
    assert null_target.call("GET", "/b12/k").body == got.body
    part = null_target.call("GET", "/b12/k", headers={"Range": "bytes=1048570-1048585"})
    assert part.body == got.body[1048570:1048586]
    assert null_target.call("GET", "/b12").xml("Size") == "3000000"
    assert null_target.stats()["memory_bytes"] < 10_000
    assert null_target.call("PUT", "/b12/k", body=b"x", payload="0" * 64).code == "XAmzContentSHA256Mismatch"


def test_memory_has_a_ceiling():
    with Target("--max-memory", "2MiB") as target:
        target.call("PUT", "/b12")
        assert target.call("PUT", "/b12/a", body=bytes(1 << 20)).status == 200
        full = target.call("PUT", "/b12/b", body=bytes(1 << 20))
        assert (full.status, full.code) == (507, "InsufficientCapacity")
        target.call("DELETE", "/b12/a")
        assert target.call("PUT", "/b12/b", body=bytes(1 << 20)).status == 200


def test_bodies_have_a_ceiling():
    with Target("--max-object", "1KB") as target:
        target.call("PUT", "/b12")
        assert target.call("PUT", "/b12/a", body=bytes(1000)).status == 200
        assert target.call("PUT", "/b12/a", body=bytes(1001)).code == "EntityTooLarge"


# ---- faults, counters, log ----

def fetch(target, path="/b12/k", count=200):
    """Statuses of count GETs; an exception's name where there was no whole answer."""
    seen = []
    for _ in range(count):
        try:
            seen.append(target.call("GET", path).status)
        except (ConnectionError, http.client.HTTPException, TimeoutError) as e:
            seen.append(type(e).__name__)
    return seen


@pytest.fixture
def faulty():
    with Target("--null", "--fault-seed", "7", "--threads", "1") as target:
        target.call("PUT", "/b12")
        target.call("PUT", "/b12/k", body=bytes(100_000))
        yield target


def test_a_share_of_errors(faulty):
    assert faulty.faults("error=0.3")["error"] == 0.3
    seen = fetch(faulty)
    assert 30 <= seen.count(503) <= 90 and seen.count(503) + seen.count(200) == 200
    faulty.faults("error=1:500\nonly=PUT")
    assert fetch(faulty, count=20) == [200] * 20
    assert faulty.call("PUT", "/b12/k", body=bytes(10)).status == 500
    assert faulty.send("DELETE", "/_loadstone/faults").status == 200
    assert faulty.call("PUT", "/b12/k", body=bytes(10)).status == 200


def test_the_same_seed_draws_the_same_faults(faulty):
    faulty.faults("error=0.5&seed=5")
    first = fetch(faulty, count=50)
    faulty.faults("seed=5")
    assert fetch(faulty, count=50) == first
    faulty.faults("seed=6")
    assert fetch(faulty, count=50) != first


@pytest.mark.parametrize("fault,kinds", [
    ("reset=1", {"ConnectionResetError"}), ("truncate=1", {"IncompleteRead"}), ("garbage=1", {"BadStatusLine"})])
def test_broken_answers(faulty, fault, kinds):
    faulty.faults(fault)
    assert set(fetch(faulty, count=10)) <= kinds
    faulty.send("DELETE", "/_loadstone/faults")
    assert fetch(faulty, count=5) == [200] * 5


def test_kept_connections_can_be_closed_behind_the_clients_back(faulty):
    faulty.faults("close=1")
    c = faulty.connect()
    answer = faulty.call("GET", "/b12/k", connection=c)
    assert answer.status == 200 and "connection" not in answer.headers
    c.auto_open = 0
    with pytest.raises((ConnectionError, http.client.HTTPException)):
        faulty.call("GET", "/b12/k", connection=c)


def test_latency_is_added(faulty):
    faulty.faults("latency=150ms")
    start = time.monotonic()
    assert fetch(faulty, count=2) == [200, 200]
    assert 0.3 <= time.monotonic() - start < 5


def test_slow_bodies(faulty):
    faulty.faults("slow-body=200KB")
    start = time.monotonic()
    assert len(faulty.call("GET", "/b12/k").body) == 100_000
    assert 0.4 <= time.monotonic() - start < 5


def test_a_stall_silences_the_whole_server(faulty):
    faulty.faults("stall=400ms:1s")
    worst, end = 0, time.monotonic() + 2.5
    while time.monotonic() < end:
        start = time.monotonic()
        assert faulty.call("GET", "/b12").status == 200
        worst = max(worst, time.monotonic() - start)
    assert worst > 0.3


@pytest.mark.parametrize("text", ["error=2", "what=1", "latency=fast", "stall=2s:1s", "only=FETCH", "error"])
def test_bad_fault_settings_change_nothing(faulty, text):
    answer = faulty.send("PUT", "/_loadstone/faults", body=b"reset=1\n" + text.encode())
    assert answer.status == 400 and answer.body
    assert json.loads(faulty.send("GET", "/_loadstone/faults").body)["reset"] == 0


def test_counters_and_request_log_agree_with_what_was_done(tmp_path):
    log = tmp_path / "requests.log"
    with Target("--request-log", str(log), "--threads", "2") as target:
        target.call("PUT", "/b12")
        target.stats(reset=True)
        for i in range(10):
            target.call("PUT", f"/b12/k{i}", body=bytes(1000))
        for i in range(12):
            target.call("GET", f"/b12/k{i}")
        target.call("DELETE", "/b12/k0")
        stats = target.stats()
    assert stats["requests"] == {"GET": {"200": 10, "404": 2}, "PUT": {"200": 10}, "DELETE": {"204": 1}}
    assert stats["bytes_in"] == 10_000
    assert (stats["objects"], stats["object_bytes"], stats["buckets"]) == (9, 9000, 1)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert len(lines) == 24
    assert sum(line["in"] for line in lines) == 10_000
    assert sum(line["out"] for line in lines) == stats["bytes_out"]
    got = [line for line in lines if line["op"] == "GetObject" and line["status"] == 200]
    assert len(got) == 10 and all(line["out"] == 1000 and line["bucket"] == "b12" for line in got)
    assert all(line["us"] >= 0 and abs(line["t"] / 1000 - time.time()) < 60 for line in lines)


# ---- many at once ----

def test_many_threads_lose_nothing():
    with Target("--threads", "4") as target:
        target.call("PUT", "/b12")

        def work(worker):
            c = target.connect()
            for i in range(60):
                data = b"%d-%d" % (worker, i)
                assert target.call("PUT", f"/b12/{worker}/{i}", body=data, connection=c).status == 200
                assert target.call("PUT", "/b12/shared", body=data, connection=c).status == 200
                assert target.call("GET", f"/b12/{worker}/{i}", connection=c).body == data
                assert target.call("GET", "/b12/shared", connection=c).status == 200
                if i % 3 == 0:
                    assert target.call("DELETE", f"/b12/{worker}/{i}", connection=c).status == 204
                if i % 10 == 0:
                    assert target.call("GET", "/b12", {"list-type": "2"}, connection=c).status == 200
            c.close()

        failures = []

        def guarded(worker):
            try:
                work(worker)
            except BaseException as e:  # reported by the main thread
                failures.append(e)

        threads = [threading.Thread(target=guarded, args=(n,)) for n in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert failures == []
        assert target.stats()["objects"] == 8 * 40 + 1


# ---- the program ----

def run(*args):
    return subprocess.run([BIN, *args], capture_output=True, text=True, timeout=20)


def test_help_and_version():
    shown = run("--help")
    assert shown.returncode == 0 and "--max-memory SIZE" in shown.stdout and "--fault-stall" in shown.stdout
    assert run("--version").stdout.startswith("loadstone-target ")


@pytest.mark.parametrize("args,words", [
    (["--prot", "1"], "--prot"), (["--port", "x"], "'x'"), (["--port", "70000"], "70000"), (["--port"], "--port"),
    (["stray"], "stray"), (["--null=1"], "--null"), (["--secret-key", "s"], "--access-key"),
    (["--access-key", "a"], "--secret-key"), (["--user", "nocolon"], "KEY:SECRET"), (["--fault-error", "7"], "'7'"),
    (["--fault-nonsense", "1"], "nonsense"), (["--tls-cert", "x"], "--tls-key")])
def test_a_wrong_command_line_is_explained(args, words):
    result = run(*args)
    assert result.returncode == 2
    assert result.stderr.startswith("loadstone-target: ") and words in result.stderr


def test_a_taken_port_is_explained(target):
    result = run("--port", str(target.port))
    assert result.returncode == 1 and str(target.port) in result.stderr


def test_sigint_ends_it_cleanly_with_connections_open():
    process = subprocess.Popen([BIN, "--port", "0"], stdout=subprocess.PIPE, text=True)
    port = int(process.stdout.readline().split(":")[2].split()[0])
    with socket.create_connection(("127.0.0.1", port)) as s:
        s.sendall(b"GET / HTT")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) == 0


def test_several_users():
    with Target("--user", "one:first", "--access-key", "two", "--secret-key", "second") as target:
        assert target.call("GET", "/", access="one", secret="first").status == 200
        assert target.call("GET", "/", access="two", secret="second").status == 200
        assert target.call("GET", "/", access="two", secret="first").status == 403
        assert target.call("GET", "/").code == "InvalidAccessKeyId"


def test_https(tmp_path):
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "1",
                    "-keyout", key, "-out", cert], check=True, capture_output=True)
    data = os.urandom(3_000_000)
    with Target("--tls-cert", str(cert), "--tls-key", str(key)) as target:
        c = target.connect()
        target.call("PUT", "/b12", connection=c)
        assert target.call("PUT", "/b12/k", body=data, connection=c).status == 200
        assert target.call("GET", "/b12/k", connection=c).body == data
        with target.socket() as plain:
            plain.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            try:
                read_all(plain)
            except ConnectionResetError:
                pass
        assert target.call("GET", "/b12").status == 200


# ---- awscli ----

@pytest.fixture
def aws(target, tmp_path):
    config = tmp_path / "aws.cfg"
    config.write_text("[default]\ns3 =\n  addressing_style = path\n")
    environment = {**os.environ, "AWS_ACCESS_KEY_ID": ACCESS, "AWS_SECRET_ACCESS_KEY": SECRET,
                   "AWS_DEFAULT_REGION": "us-east-1", "AWS_CONFIG_FILE": str(config), "AWS_PAGER": "",
                   "AWS_EC2_METADATA_DISABLED": "true"}

    def call(*args):
        return subprocess.run(["/usr/bin/aws", "--endpoint-url", target.url, *args], env=environment, check=True,
                              capture_output=True, text=True, timeout=120).stdout

    return call


def test_awscli_round_trip(aws, tmp_path):
    big = tmp_path / "big"
    big.write_bytes(os.urandom(20_000_000))
    aws("s3", "mb", "s3://awscli")
    aws("s3", "cp", str(big), "s3://awscli/dir/big file")
    aws("s3", "cp", "s3://awscli/dir/big file", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == big.read_bytes()
    assert "PRE dir/" in aws("s3", "ls", "s3://awscli")
    aws("s3", "cp", "s3://awscli/dir/big file", "s3://awscli/copy")
    assert "20000000 copy" in aws("s3", "ls", "s3://awscli/copy")
    aws("s3", "rb", "--force", "s3://awscli")
    assert "awscli" not in aws("s3", "ls")
