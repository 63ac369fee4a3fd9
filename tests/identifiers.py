"""Identifiers of many kinds, each with the memory that has it, among near misses."""

import re
import unicodedata

# One line is one memory of the same team. What stands in ⟦brackets⟧ is asked for, and is in no other memory; lines
# without are near misses.
IDENTIFIERS = {
    "tickets": r"""
The queue moved from Redis to Postgres with ⟦ADR-016⟧.
ADR-061 rejected a second message broker.
ADR-0167 was withdrawn before anybody read it, like ADR-01 and ADR-16.
Sessions are kept in cookies, see ⟦ADR-017⟧, and nowhere else.
⟦ADR-018⟧'s author wants the row policies reviewed every year.
Retries were capped after ⟦JIRA-1234⟧; the old limit was fifty.
JIRA-12345 asks for a darker login page.
JIRA-123 is the oldest ticket that is still open, JIRA-1243 the newest.
The crash on upload is tracked (⟦#4711⟧) and has a workaround.
Pull request #47110 only touches the changelog, #471 the licence.
Marta closed ⟦GH-77⟧: the linter now skips vendored files.
GH-770 is about the new logo, GH-7 about the old one.
Ask legal before reopening [⟦LEG-2031⟧].
The outage of March has the incident number ⟦INC0098213⟧.
INC0098231 was a false alarm.
The scanner's findings ⟦CVE-2024-3094⟧ and ⟦GHSA-jfh8-c2jp-5v3q⟧ are fixed in the base image.
CVE-2024-3904 does not affect us, nor does CVE-2023-3094.
Timestamps follow ⟦RFC 3339⟧ and never a local format.
Caching follows RFC 9111; mail follows RFC 5322.
Card data must satisfy ⟦PCI-DSS 4.0⟧ by autumn.
Work package ⟦WP-3.2.1⟧ ends when the quay opens.
WP-3.2.11 and WP-3.2 have no owner yet.
The switch was approved as **⟦CHG-88172⟧** by the board.
Both ⟦OPS-501⟧/⟦OPS-502⟧ wait for new cables.
Auditors ask for ⟦ISO/IEC 27001:2022⟧ first.
Depends on ⟦NET-61⟧,⟦NET-62⟧ and a firewall that can do both.
""",
    "wrapped in punctuation": r"""
The board calls it “⟦DOCK-7⟧” in every letter.
The French pilots write «⟦DOCK-8⟧» on their charts.
The captain underlined *⟦DOCK-9⟧* in red.
~~⟦DOCK-11⟧~~ was struck from the plan.
Tourists gather at __⟦DOCK-12⟧__ in June.
| ⟦DOCK-13⟧ | twelve metres | closed on Sundays |
'⟦DOCK-14⟧' needs new paint.
Nobody moors at "⟦DOCK-15⟧", not even in storms.
The crane (⟦DOCK-16⟧) squeaks.
Fenders were delivered [⟦DOCK-17⟧] on pallets.
Seals sleep under {⟦DOCK-18⟧} at night.
Fishermen prefer <⟦DOCK-19⟧> for its shade.
Water and power are free at `⟦DOCK-20⟧`.
The old map ends at ⟦DOCK-21⟧…
Never dive near ⟦DOCK-22⟧!!
The ferry leaves from ⟦DOCK-23⟧—unless it rains.
⟦DOCK-24⟧: the lights are broken.
Bring ropes to ⟦DOCK-25⟧;gloves too.
The arrow on the sign reads harbour->⟦DOCK-26⟧.
The gate opens with place=⟦DOCK-27⟧ in the form.
⟦DOCK-30⟧’s railing was welded twice.
The minutes of ([⟦DOCK-31⟧](https://minutes.example/31)) are missing.
Toll booth:⟦DOCK-34⟧ takes coins only.
The commit says fix(⟦DOCK-35⟧): close the valve.
The branch feature/⟦DOCK-36⟧-tide-gauge was never merged.
Release notes begin with [⟦DOCK-37⟧][ui] and a joke.
`⟦DOCK-38⟧`'s lease ends in winter.
Oil was found at ⟦DOCK-39⟧, ⟦DOCK-40⟧ and further out.
DOCK-1 and DOCK-10 were sold; DOCK-100 was never built, DOCK-230 was a typing error.
""",
    "versions": r"""
The harbour client needs ⟦v2.4.1⟧ because of the tide fix.
v2.4.10 of the harbour client drops old laptops.
v2.4.11 of the harbour client needs more memory; v2.41 and v2.4 never shipped.
Testers install ⟦1.0.0-rc.3⟧ from the preview channel.
Testers installed 1.0.0-rc.30 by mistake and 1.0.0-rc.2 on purpose.
The charting package is pinned to ⟦^18.2.0⟧ for now.
The driver must match ⟦^16.4⟧ on all machines.
The resolver turns ⟦~=4.2.7⟧ into the last patch.
Requirements say ⟦Django>=5.2,<5.3⟧ until the upgrade.
Production runs ⟦PostgreSQL 16.4⟧ since May.
Staging tries PostgreSQL 16.14 and PostgreSQL 17.
⟦Python 3.12.4⟧ is the oldest interpreter that we test.
One crane has firmware ⟦2024.11.0-beta+exp.sha.5114f85⟧ on it.
Build ⟦20240917.3⟧ failed in the signing step.
Build 20240917.13 was fine.
Alpine ships ⟦openssl-3.0.13-r0⟧ by default.
Binaries are built for ⟦x86_64⟧ and ⟦arm64-v8a⟧ only.
Browsers get ⟦ES2022⟧, nothing older.
Every workflow starts with ⟦actions/checkout@v4⟧.
Two workflows still start with actions/checkout@v3.
The lockfile lists ⟦lodash@4.17.21⟧ twice.
Every laptop needs Terraform ⟦>= 1.5.7⟧ this year.
Go ⟦1.21.x⟧ is out of support.
The kiosks refuse update ⟦KB5034441⟧ at boot.
The sensor kernel is ⟦6.8.0-31-generic⟧.
""",
    "paths": r"""
TLS is switched on in ⟦/etc/nginx/nginx.conf⟧.
Somebody left /etc/nginx/nginx.conf.bak behind.
Proxy rules sit in /etc/nginx/conf.d and nowhere else.
Yesterday's messages are in ⟦/var/log/syslog.1⟧ until midnight.
Jump hosts are listed in ⟦~/.ssh/config⟧, one per line.
Keys go to ~/.ssh/config.d, never to mail.
Releases start with ⟦./scripts/deploy.sh⟧ and a deep breath.
The sample ships live in ⟦../shared/fixtures.json⟧.
Outlook caches everything in ⟦C:\Users\marta\AppData⟧.
Marta's other laptop uses C:\Users\marta\Desktop for that.
The scanner writes to ⟦\\fileserver\quay$⟧ each night.
The full copy is ⟦D:\backup\2024\full.bak⟧ on the old box.
Secrets are kept out by ⟦.gitignore⟧.
Line endings are set in .gitattributes for all.
⟦.env.production⟧ is never committed.
.env.staging may be shared inside the team.
The monthly run is in ⟦src/billing/invoice_run.py⟧.
Its report is made by src/billing/invoice_runs.py.
The flaky one is ⟦tests/test_tides.py::test_spring_tide⟧.
The division by zero is at ⟦app/models.py:214⟧.
The harmless warning is at app/models.py:241.
Layers are cached if the ⟦Dockerfile⟧ copies requirements first.
Ports for local work go into ⟦docker-compose.override.yml⟧.
The figures are in ⟦My Documents/Q3 report (final).xlsx⟧ on the share.
Cleaning removes all ⟦*.pyc⟧ below the root.
The search skips ⟦**/node_modules/**⟧ entirely.
Uploads end up in ⟦/srv/quay/⟧ with group rights.
Each line of the list is `⟦templates/_row.html⟧`, loaded lazily.
Nightly dumps go to ⟦s3://quay-backups/daily/⟧ in Frankfurt.
Exports are gathered in the package's ⟦__init__.py⟧ file.
Noise is sent to ⟦/dev/null⟧.
Aliases belong in ⟦.bashrc⟧, Oleg says.
Merge conflicts in ⟦package-lock.json⟧ are solved by installing anew.
Old cranes link ⟦libquay.so.6⟧ statically.
The board read ⟦report-2024_Q3.final.pdf⟧ on the train.
""",
    "flags": r"""
Hooks are skipped with ⟦--no-verify⟧, which we frown upon.
Signatures are checked with --verify only.
The importer needs ⟦-Xmx512m⟧ or it dies.
The exporter is happy with -Xmx51m.
Show what would happen with ⟦--dry-run⟧ first.
The bundler wants ⟦--max-old-space-size=4096⟧ on small runners.
On small runners --max-old-space-size=409 is a typing error.
Ansible tells the truth under ⟦-vvv⟧.
The second database is published with ⟦-p 5433:5432⟧.
Compile with ⟦-j8⟧ on the big machine.
Logs are readable with ⟦--color=never⟧ set.
The old headers need ⟦-Wno-unused⟧ to pass.
Tests are included by ⟦-DWITH_TESTS=ON⟧ at configure time.
The installer is silent with ⟦/quiet⟧.
Numerics differ under ⟦-O3⟧, so we stay lower.
Modules need ⟦-std=c++20⟧ there.
Grep is faster with ⟦--exclude-dir=.git⟧ today.
Supply chains are safer with ⟦--ignore-scripts⟧.
Clones are shallow: ⟦--depth=1⟧.
Listening sockets are shown by ⟦-sTCP:LISTEN⟧.
Unattended upgrades say ⟦--yes⟧ to all.
Did Oleg say yes? Yes, yes.
""",
    "commands": r"""
Never run ⟦rm -rf⟧ on the shared volume.
To delete one file, rm -f is plenty; for a folder rm -r asks first.
After a rebase use ⟦git push --force-with-lease⟧ and tell the others.
The hook refuses git push --force on main.
Undo a bad release with ⟦kubectl rollout undo⟧ at once.
Watch a release with kubectl rollout status meanwhile.
Runners are freed by ⟦docker system prune -af⟧ on Sundays.
Tidy up commits by ⟦git rebase -i HEAD~3⟧ before review.
Private keys want ⟦chmod 0600⟧.
Dumps are made by ⟦pg_dump -Fc⟧ hourly.
Continuous builds use ⟦npm ci⟧, not npm install.
Build the manual by ⟦make -C docs html⟧.
A stuck scheduler recovers after ⟦systemctl restart quay.service⟧.
Reach the dashboard through ⟦ssh -L 8080:localhost:80⟧ from home.
Unpack the archive by ⟦tar xzf⟧ as usual.
Leftovers vanish through ⟦find . -name '*.orig' -delete⟧.
The number of berths is `⟦ls | wc -l⟧` in that folder.
The script forgets to look at ⟦echo $?⟧ afterwards.
Oleg's favourite is ⟦sudo !!⟧ of course.
Leave the editor by ⟦:wq⟧ and breathe.
The palette opens on ⟦Ctrl+Shift+P⟧.
Share a folder through ⟦python -m http.server⟧ quickly.
The installer is fetched by ⟦curl -fsSL⟧ in the docs.
Errors join the output after ⟦2>&1⟧ in the job.
Work in progress returns by ⟦git stash pop⟧.
See everything kept aside by git stash list.
The second column comes from ⟦awk '{print $2}'⟧ there.
""",
    "e-mail addresses": r"""
Invoices are approved by ⟦marta.novak@harbour.example⟧.
Her cousin is marta.novakova@harbour.example, in sales.
Alarms go to ⟦ops+alerts@quay.example⟧, then to the pager.
Questions go to ops@quay.example in the daytime.
Refunds: Anna <⟦billing@quay-pay.example⟧> answers within a day.
The ferry line writes from ⟦o'brien@ferry.example⟧.
Report spam to mailto:⟦abuse@quay.example⟧ please.
The auditor is ⟦j_smith99@mail.example.co.uk⟧.
J_smith98@mail.example.co.uk left years ago.
Our Chinese partner uses ⟦用户@例子.公司⟧.
""",
    "hashes and keys": r"""
The regression began with ⟦9f3c2ab⟧.
Bisecting cleared 9f3c2ac and 9f3c2a of all guilt.
Deployed on Monday: ⟦da39a3ee5e6b4b0d3255bfef95601890afd80709⟧.
Deployed on Tuesday: da39a3ee5e6b4b0d3255bfef95601890afd80708.
The image is ⟦sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855⟧ at present.
The checksum on the page (⟦d41d8cd98f00b204e9800998ecf8427e⟧) is that of nothing at all.
Freed memory is filled with ⟦deadbeef⟧ in debug builds.
The magic number is ⟦0xCAFEBABE⟧.
The magic number of the other format is 0xCAFED00D.
Review the range ⟦a1b2c3d..e4f5a6b⟧ together.
The proxy compares ⟦W/"33a64df5"⟧ and answers quickly.
The greeting is ⟦dGhlIHF1YXk=⟧ once encoded.
The sandbox key ⟦pk_demo_4eC39HqLyjW⟧ may be shared.
The sandbox key pk_demo_4eC39HqLyjX was revoked.
The tag points at ⟦1234567⟧, a lucky hash.
""",
    "UUIDs": r"""
The test customer is ⟦550e8400-e29b-41d4-a716-446655440000⟧.
The other test customer is 550e8400-e29b-41d4-a716-446655440001.
The COM class is ⟦{6F9619FF-8B86-D011-B42D-00CF4FC964FF}⟧ on Windows.
Feeds carry ⟦urn:uuid:1225c695-cfb8-4ebb-aaaa-80da344efa6a⟧ as their name.
The stuck job is ⟦01ARZ3NDEKTSV4RRFFQ69G5FAV⟧.
The refund hangs at /orders/⟦7d444840-9dc0-11d1-b245-5ffdce74fad2⟧/refund since noon.
Order ⟦ord_8Kx2mQ⟧ was paid twice.
Order ord_8Kx2mR was never paid.
""",
    "URLs": r"""
Free berths are at ⟦https://quay.example/berths?from=2024-05-01&size=L⟧.
Small berths are at https://quay.example/berths?from=2024-05-01&size=S instead.
The local hub answers on ⟦http://localhost:8000⟧.
The local mail catcher answers on http://localhost:8001 in a browser.
Paging is described at ⟦https://docs.quay.example/api#pagination⟧, errors elsewhere.
Limits are described at https://docs.quay.example/api#limits today.
Charts can be had from ⟦ftp://charts.example/pub/⟧.
Read the [runbook](⟦https://wiki.quay.example/runbooks/db⟧) before touching it.
The status page is <⟦https://status.quay.example⟧>.
Tides are pushed over ⟦wss://live.quay.example/tides⟧.
Workers connect to ⟦postgres://app@db:5432/quay⟧.
Clone it from ⟦git@github.com:quay/berths.git⟧ with your key.
Background is in ⟦https://de.wikipedia.org/wiki/Köln_(Rhein)⟧.
The pixel is inlined as ⟦data:image/png;base64,iVBORw0KGgo=⟧ to save a request.
The cache is ⟦localhost:6379/0⟧; the queue has its own.
Lists end with ⟦?page=2&per_page=100⟧ when scraped.
Agents read ⟦/api/v1/memories/{id}⟧ most.
The balancer asks ⟦GET /healthz⟧ every second.
Newcomers start at ⟦intranet.quay.example⟧.
Partners start at extranet.quay.example though.
""",
    "addresses and ports": r"""
The printer is ⟦10.0.0.5⟧.
The scanner is 10.0.0.50 and the plotter 10.0.0.15.
The office network is ⟦192.168.178.0/24⟧.
The guest network is 192.168.178.0/25 at night.
The console listens at ⟦172.16.4.9:8443⟧ (self-signed).
The new link uses ⟦2001:db8::ff00:42:8329⟧.
The old link used 2001:db8::ff00:42:8392.
Radar talks to ⟦fe80::1%eth0⟧ directly.
Postgres also answers on ⟦[::1]:5432⟧ there.
The gauge has hardware address ⟦00:1B:44:11:3A:B7⟧.
The spare gauge has hardware address 00:1B:44:11:3A:B8.
The preview binds to ⟦:8080⟧ unless told otherwise.
Only loopback, ⟦127.0.0.1⟧, may ask for metrics.
Nothing may be open to ⟦0.0.0.0/0⟧.
Replicas listen on ⟦port 5433⟧.
Names are resolved over ⟦udp/53⟧ alone.
We announce ⟦AS64512⟧ to both providers.
Leases come from ⟦10.1.0.20-10.1.0.99⟧.
""",
    "languages and names": r"""
The radar decoder is written in ⟦C++⟧.
The boot loader is written in C, as ever.
The kiosk was rewritten in ⟦C#⟧, then abandoned.
The tariff engine is pure ⟦F#⟧: nobody dares touch it.
Music for the lobby is in F major, C minor and C flat.
Old tools need ⟦.NET⟧ on the machine.
The net weight and the fishing net are separate fields.
The gateway runs ⟦Node.js⟧.
A node of the js cluster died.
The intranet is ⟦ASP.NET⟧ under the hood.
The tablet app mixes ⟦Objective-C⟧ into everything.
Objective: a C or better.
The forms use ⟦Vue.js⟧, the map does not.
Triggers are in ⟦PL/pgSQL⟧ because of speed.
Reports are in ⟦T-SQL⟧ for historic reasons.
We ran an ⟦A/B⟧ test on the colours.
Everything goes through ⟦CI/CD⟧, even typing errors.
The budget of ⟦R&D⟧ doubled.
Our carrier is ⟦AT&T⟧ overseas.
The interns edit in ⟦Notepad++⟧.
Texts are kept apart for ⟦i18n⟧ some day.
""",
    "names in code": r"""
Failed charges are tried again by ⟦payments_retry_worker⟧, owned by Priya.
payments_retry_workers were owned by Tom.
The column payments_retry is unused.
The sample test defines ⟦foo_bar⟧ and nothing else.
foo_bars and foo_baz are samples.
Profiles are loaded by ⟦getUserById⟧ lazily.
Profiles are searched by getUserByIds and getUserByName.
Arrival messages pass `⟦parse_manifest⟧()` first.
Departure messages pass parse_manifests() last.
Call ⟦open_gate⟧(force=True) in emergencies.
Slots are given out by ⟦BerthAllocator⟧.
BerthAllocation is fair.
Forecasts come from ⟦tide-forecast-job⟧ at six.
tide-forecast-jobs come at seven.
The tide-forecast page only shows them.
No ship may exceed ⟦MAX_BERTH_LENGTH⟧.
MAX_BERTH_LENGTHS is a table.
Mails are sent in ⟦quay.billing.tasks⟧ from now on.
Their checks are in quay.billing.task and quay.billing.tests now.
Buffers are owned through ⟦std::unique_ptr⟧.
Sensors are owned through std::shared_ptr.
The slow method is ⟦Quay::Berth#dock⟧.
The null pointer is in ⟦ship->berth⟧.
The plugin reads ⟦$this->request⟧ unchecked.
Use ⟦ship?.captain⟧ where nobody may be aboard.
The sample is in ⟦rows[0]⟧ by then.
Crews are typed ⟦list[str]⟧ throughout.
The registry is a ⟦Map<String, Integer>⟧ behind a lock.
The default sorter is ⟦(a, b) => a - b⟧.
Totals are cached by ⟦@cached_property⟧.
The header needs ⟦#include <vector>⟧ again.
Scripts guard with ⟦__name__⟧.
Old suites call ⟦self.assertEqual⟧ everywhere.
The loop forgets ⟦i++⟧ on errors.
Themes fight over ⟦!important⟧ rules.
It is important to rest; important people agree.
Outlines appear on ⟦:focus-visible⟧ only.
The green one is ⟦.btn-primary⟧.
The accent is ⟦--brand-color⟧ in all themes.
Long answers hide in ⟦<details>⟧ on the page.
Details follow; more details come later.
The hook ⟦useTides⟧ polls too often.
Set ⟦timeout_ms⟧=5000 for slow links.
The primary key is (⟦berth_ref⟧,season).
Files are collected in settings.⟦STATIC_ROOT⟧ before release.
`⟦rate_limiter_v2⟧`'s window is a minute.
The alarm is ⟦HarbourMasterUnavailableException⟧, nothing worse.
""",
    "environment variables": r"""
The job fails when ⟦$HOME⟧ is not set.
Working from home is fine; home is where the quay is.
Workers read ⟦${QUAY_DSN}⟧ at start.
Web processes read ⟦DATABASE_URL⟧ at start.
DATABASE_URLS lists replicas.
The tool must be on ⟦$PATH⟧ to be found.
Settings roam in ⟦%APPDATA%⟧ on Windows.
Tracebacks are shown after ⟦QUAY_DEBUG=1⟧.
Tracebacks are hidden after QUAY_DEBUG=0.
The wrapper only looks at ⟦$1⟧ and ignores the rest.
Without a region it takes ⟦${REGION:-eu}⟧ quietly.
Mounts begin with ⟦$(pwd)⟧.
The letter greets ⟦{{ ship.captain }}⟧ by name.
The letter ends with {{ ship.owner }} below.
The token is "⟦$QUAY_TOKEN⟧", quoted.
""",
    "schedules": r"""
Gauges are read at ⟦*/15 * * * *⟧.
Buoys are read at */5 * * * *.
Invoices go out at ⟦0 3 * * 1-5⟧.
Reminders go out at 3 0 * * 1-5.
Statements go out at 0 3 * * 1.
Locks are greased ⟦@weekly⟧.
The archive rolls at ⟦30 2 1 * *⟧.
The drill is at ⟦0 0 12 ? * MON#2⟧.
The pinger has ⟦rate(5 minutes)⟧ in the console.
The timer says ⟦OnCalendar=Mon..Fri 06:30⟧.
""",
    "patterns": r"""
Months must match ⟦^\d{4}-\d{2}$⟧.
Days must match ^\d{4}-\d{2}-\d{2}$ instead.
Container codes match ⟦[A-Z]{3}U\d{7}⟧.
The filter is ⟦(?i)berth⟧ for now.
The highlighter looks for ⟦\bship\b⟧.
Leftover files match ⟦.*\.tmp$⟧.
Segments match ⟦[^/]+⟧.
The joke matches ⟦(foo|bar)+⟧.
Names may have ⟦\p{L}⟧ anywhere.
The fix was ⟦s/starboard/port/g⟧ all over.
""",
    "snippets": r"""
Impatient clients send ⟦{"retry": false}⟧.
Patient clients send {"retry": true}.
The cookie has ⟦"max_age": 3600⟧.
The other cookie has "max_age": 360.
Shapes refer to ⟦{"$ref": "#/definitions/Berth"}⟧.
Prices are picked by ⟦$.items[*].price⟧.
The hub answers ⟦"status":"queued"⟧ at first.
The hub answers "status":"done" at last.
Containers have ⟦restart: unless-stopped⟧ set.
The linter reads ⟦[tool.ruff]⟧ there.
The linter's rules are in [tool.ruff.lint] there.
The feed holds ⟦<berth id="7"/>⟧.
The feed lacks <berth id="70"/>.
""",
    "SQL": r"""
The page starts with ⟦SELECT * FROM berths⟧, alas.
Double saves are solved by ⟦ON CONFLICT DO NOTHING⟧.
Nobody likes a conflict on the quay.
The total uses ⟦count(*)⟧ each time.
Recent means ⟦created_at >= now() - interval '7 days'⟧.
Last month means created_at >= now() - interval '30 days'.
The slow part is ⟦LIKE '%quay%'⟧.
Casting by ⟦id::text⟧ spoils the index.
Distances are ordered by ⟦<->⟧ in the query.
Words are matched by ⟦@@⟧ in the query.
The name is read by ⟦->>'name'⟧ from the column.
The plan is in ⟦public.berth_plan⟧.
The copy is in archive.berth_plan.
Nullable columns and ⟦NOT IN⟧ surprise everybody.
Sorting is helped by ⟦idx_berth_name⟧.
idx_berth_names helps grouping.
The builder begins with ⟦1=1⟧.
The famous attack is ⟦'; DROP TABLE ships;--⟧ in a form.
Duplicates raise ⟦ERROR: 23505⟧ there.
Missing tables raise ERROR: 42P01 there.
Bodies are quoted by ⟦$$⟧ there.
Jobs are taken by ⟦FOR UPDATE SKIP LOCKED⟧.
""",
    "media types": r"""
The hub speaks ⟦application/json⟧.
The config reader speaks application/json5.
Pages are ⟦text/html; charset=utf-8⟧.
Icons are ⟦image/svg+xml⟧.
The second edition is ⟦application/vnd.quay.v2+json⟧.
The third edition is application/vnd.quay.v3+json.
Uploads are ⟦multipart/form-data⟧ still.
The probe accepts ⟦*/*⟧.
Cameras deliver ⟦video/mp4⟧.
""",
    "phone numbers": r"""
The harbour master is at ⟦+49 30 901820⟧ until six.
The pilot is at +49 30 901802 all night.
The towing company is at ⟦(555) 010-4477⟧.
The diver is at ⟦+1-555-0142⟧, mornings.
The welder is at +1-555-0143, evenings.
Complaints may call ⟦0800 333 4444⟧.
In danger dial ⟦112⟧ at once.
Anna is at ⟦ext. 4402⟧ today.
The siren is started by ⟦tel:+441632960961⟧.
""",
    "money, shares and measures": r"""
A day ticket is ⟦€49.90⟧.
A night ticket is €49.99.
The license costs ⟦$1,299.00⟧ a year.
The license used to cost $1,299 in all.
We promise to be up ⟦99.95%⟧ of the time.
We were up 99.5% of the time.
VAT on mooring is ⟦19 %⟧ here.
The discount is ⟦12.5%⟧ for members.
The grant was ⟦£120k⟧.
Sensors drift by ⟦±0.5⟧ a year.
The tolerance is ⟦1e-9⟧.
The tank is ⟦½⟧ full on Fridays.
The tank is ¼ full on Mondays.
A plan is ⟦10GB⟧.
The big plan is 100GB.
Answers within ⟦250 ms⟧ feel instant.
Planks are ⟦2×4⟧ inches.
About ⟦~15%⟧ never return.
The freezer is at ⟦-40 °C⟧.
The tender was ⟦₹5,00,000⟧.
""",
    "dates and times": r"""
The contract ends ⟦2024-05-17⟧.
The contract began 2024-05-07.
The lease ends ⟦17.06.2024⟧.
The visa ends ⟦07/19/24⟧.
The stand-up is at ⟦14:30⟧.
The siesta is at 14:03.
The power failed at ⟦2024-08-02T14:31:07Z⟧.
The power returned at 2024-08-02T14:37:01Z.
Hiring resumes in ⟦Q3 2025⟧.
Hiring stops in Q4 2025.
Targets are for ⟦FY26⟧.
The regatta is in ⟦2025-W23⟧.
The bell rings at ⟦9:15 a.m.⟧ sharp.
The office in Pune is ⟦UTC+5:30⟧.
Tokens live for ⟦P1DT12H⟧.
The counter was reset at ⟦1716000000⟧.
The desk is staffed ⟦24/7⟧.
Clocks are set to ⟦Europe/Lisbon⟧.
Clocks were set to Europe/London.
Lunch is ⟦12:05–12:55⟧.
""",
    "HTTP": r"""
Traces are joined by ⟦X-Request-Id⟧.
Scripts are told by X-Requested-With.
X-Request-Ids join batches.
Frames are forbidden by ⟦Content-Security-Policy⟧.
Content-Security-Policy-Report-Only counts frames.
Clients must heed ⟦Retry-After⟧.
After a retry we give up.
Avatars are compared by ⟦ETag⟧.
Balances carry ⟦Cache-Control: no-store⟧.
Logos carry Cache-Control: no-cache.
Saving twice is avoided by ⟦If-None-Match⟧.
If none match, none is shown: no match.
Streams need ⟦HTTP/2⟧.
Scrapers get ⟦HTTP 429⟧.
Strangers get HTTP 404.
Sessions are ⟦SameSite=Lax⟧.
Admins are SameSite=Strict.
Fonts carry ⟦max-age=31536000⟧.
""",
    "containers and clusters": r"""
Tests use ⟦postgres:16-alpine⟧.
Demos use postgres:16 and postgres:16-bookworm.
Production pulls ⟦ghcr.io/quay/berths:1.8.0⟧.
Staging pulls ghcr.io/quay/berths:1.8.0-slim.
Canaries pull ghcr.io/quay/berths:1.8.01.
Sessions are in ⟦redis:7.2@sha256:ab12cd34⟧.
The base is ⟦python:3.12-slim-bookworm⟧.
Nightlies are ⟦quay/tide-api:main-77ab01c⟧.
The pod ⟦tide-api-7d9f8b6c5d-x2x4z⟧ leaks.
The pod tide-api-7d9f8b6c5d-x2x4q is healthy.
Traffic enters at ⟦svc/tide-api⟧.
Manifests say ⟦apps/v1⟧.
Labels begin with ⟦app.kubernetes.io/name⟧.
Dashboards group by app.kubernetes.io/instance.
Internal calls go to ⟦tides.quay-prod.svc.cluster.local⟧.
Internal calls went to tides.quay-dev.svc.cluster.local.
Nobody deploys into ⟦kube-system⟧.
Kube is a fine system.
A worker asks for ⟦500m⟧ and ⟦512Mi⟧.
The importer ended in ⟦CrashLoopBackOff⟧.
The resizer was ⟦OOMKilled⟧.
""",
    "clouds": r"""
Dumps are kept in ⟦arn:aws:s3:::quay-backups⟧.
Photos are kept in arn:aws:s3:::quay-backup.
Releases assume ⟦arn:aws:iam::123456789012:role/deploy⟧.
People assume arn:aws:iam::123456789012:role/deployer.
Alarms call ⟦arn:aws:lambda:eu-west-3:123456789012:function:siren⟧.
The bastion is ⟦i-0abcd1234ef567890⟧.
The old bastion was i-0abcd1234ef567809.
All data stays in ⟦eu-central-1⟧.
Backups may go to eu-central-2.
Runners start from ⟦ami-0c55b159⟧.
Workers are ⟦t3.medium⟧.
Databases are t3.micro.
Events pass ⟦projects/quay-prod/topics/tides⟧.
""",
    "Chinese, Japanese, Korean": r"""
港口⟦潮汐预报⟧每天早上六点更新。
天气预报由另一个团队负责。
发布之前必须由⟦王小明⟧审核代码。
王小红负责设计。
⟦数据库备份⟧保存在上海机房。
数据库迁移在周末进行。
发票请寄到⟦财务部⟧，不要寄到前台。
财务报表每季度更新。
新的⟦API网关⟧下个月上线。
队列的设计详见⟦ADR-042⟧。
缓存的设计详见ADR-024。
会議は⟦東京タワー⟧の近くで行います。
会議は東京駅の近くで行いました。
⟦決済サービス⟧が落ちたら山田さんに電話する。
決済方法は三つあります。
顧客は⟦請求書⟧を紙で欲しがっている。
顧客は請求先を変えたがっている。
新しい⟦サーバー⟧は大阪にあります。
バージョン⟦v3.1.4⟧には不具合がある。
배포는 ⟦금요일⟧에 하지 않습니다.
⟦결제서버⟧는 부산에 있습니다.
담당자는 ⟦김민수⟧입니다.
설계자는 김민지입니다.
회의는 목요일에 합니다.
""",
    "accents": r"""
The team meets in the ⟦café⟧ by the lock.
Cafe cars are closed.
The first estimate was ⟦naïve⟧.
The servers moved to ⟦Zürich⟧ in spring.
The mirror is in ⟦São Paulo⟧.
The translators sit in ⟦Łódź⟧.
The lens error is one ⟦Ångström⟧.
The depot is in the ⟦Gärtnerstraße⟧.
The hold music is by ⟦Dvořák⟧.
The canteen's best is ⟦jalapeño⟧ soup.
The office in ⟦İstanbul⟧ opens in May.
Paint for the ⟦façade⟧ is grey.
Divers train in ⟦Đà Nẵng⟧.
The cable lands near ⟦Reykjavík⟧.
""",
    "other scripts": r"""
Сервер резервных копий стоит в городе ⟦Владивосток⟧.
Бухгалтерия ждёт ⟦счёт-фактуру⟧ до пятницы.
Наступне судно прибуде з міста ⟦Київ⟧.
Το πλοίο φεύγει από τον ⟦Πειραιάς⟧ στις οκτώ.
السفينة تنتظر في ⟦ميناء⟧ جدة منذ الصباح.
يرسل المورد ⟦فاتورة⟧ كل شهر.
הספק שולח ⟦חשבונית⟧ בכל חודש.
हमारा ⟦बंदरगाह⟧ रविवार को बंद रहता है।
เรือทุกลำจอดที่⟦ท่าเรือกรุงเทพ⟧ก่อนเที่ยง
შეხვედრა ქალაქ ⟦თბილისი⟧ გაიმართება.
""",
    "emoji": r"""
Marta marks finished work with ⟦✅⟧.
Oleg marks finished work with ✔.
Release notes end with ⟦🚀⟧!
Release notes start with 🛸!
Reviewers who agree leave ⟦👍🏽⟧ behind.
Reviewers who agree in a hurry leave 👍🏿 behind.
Her status is ⟦👩‍💻⟧ before noon.
His status is 👨‍💻 after noon.
The Porto office signs with ⟦🇵🇹⟧.
The Warsaw office signs with 🇵🇱.
Coffee⟦☕⟧is at ten.
Step ⟦1️⃣⟧ is to breathe.
Step 2️⃣ is to read the log.
The Glasgow office signs with ⟦🏴󠁧󠁢󠁳󠁣󠁴󠁿⟧ proudly.
The channel is full of ⟦🔥🔥🔥⟧ since the launch.
Merges are announced by ⟦:shipit:⟧ there.
Unclear tickets get ⟦¯\_(ツ)_/¯⟧ back.
""",
    "mentions": r"""
Photos are posted under ⟦#harbourlife⟧.
Harbourlife is also the name of a magazine.
Design questions go to ⟦@marta_n⟧.
Design answers come from @marta_nk.
Plans are tagged ⟦#2025goals⟧.
Buttons come from ⟦@quay/ui-kit⟧.
Colours come from @quay/ui-kits.
News is posted in ⟦#general⟧ daily.
The general idea is general knowledge.
The tip came from ⟦r/selfhosted⟧.
Ask the newcomer (⟦@joão.silva⟧).
""",
    "science": r"""
The engine's ⟦CO₂⟧ is logged.
The engine's CO is not.
Stains yield to ⟦NaHCO3⟧.
The probe counts ⟦Fe³⁺⟧ ions.
The probe ignores Fe²⁺ ions.
The radius satisfies ⟦x² + y² = r²⟧.
The planner is ⟦O(n log n)⟧ at best.
The planner is O(n) in dreams.
The proof needs ⟦a ≤ b⟧.
The formula begins with ⟦∑⟧.
The formula ends with ∏.
The wavelength is called ⟦λ⟧ in the notes.
The rule holds ⟦∀x∈S⟧.
Counters wrap at ⟦2^32⟧.
The slope is ⟦f'(x)⟧.
Dust is measured in ⟦μm⟧.
Dust was measured in mm.
Leaks are below ⟦10⁻⁶⟧.
The primer is ⟦5′-ATG-3′⟧.
The palette also opens on ⟦⌘K⟧.
The printer also opens on ⌘P.
Mooring is ruled by ⟦§ 14⟧ of the harbour act.
The pool has ⟦pH 7.4⟧.
The additive is ⟦(2R,3S)-tartaric⟧ acid.
""",
}

# Asked in quotation marks.
PHRASES = r"""
The plan says ⟦warm standby before cutover⟧, in that order.
Before the cutover a standby crew keeps warm.
A standby cutover is warm before it is cold.
Priya insists on ⟦two keys per door⟧.
Two doors share the key, Priya found.
The motto is “⟦measure the tide twice⟧”.
Twice a day we measure how the tide turns.
The alarm text is '⟦no space left on device⟧'.
There is space left on the device of the pilot.
The first screen says ⟦welcome aboard, captain⟧!
The captain came aboard and was welcome.
Oleg calls it ⟦eventually consistent coffee⟧.
Coffee is consistent, eventually.
"""

# The same asked in another letter case, in punctuation, or without its sign: still first.
OTHERWISE = {
    "adr-016": "ADR-016",
    "Adr-016": "ADR-016",
    "(ADR-016)": "ADR-016",
    "[ADR-016]": "ADR-016",
    "`ADR-016`": "ADR-016",
    "“ADR-016”": "ADR-016",
    '"ADR-016"': "ADR-016",
    "**ADR-016**": "ADR-016",
    "ADR-016?": "ADR-016",
    "ADR-016…": "ADR-016",
    "ADR-016,": "ADR-016",
    "  ADR-016\n": "ADR-016",
    "adr-018's": "ADR-018",
    "4711": "#4711",
    "jira-1234!": "JIRA-1234",
    "V2.4.1": "v2.4.1",
    "(v2.4.1)": "v2.4.1",
    "/ETC/NGINX/NGINX.CONF": "/etc/nginx/nginx.conf",
    "c:\\users\\marta\\appdata": "C:\\Users\\marta\\AppData",
    "'--no-verify'": "--no-verify",
    "-rf": "rm -rf",
    "`rm -rf`": "rm -rf",
    "RM -RF": "rm -rf",
    "$ rm -rf": "rm -rf",
    "Marta.Novak@Harbour.example": "marta.novak@harbour.example",
    "<marta.novak@harbour.example>": "marta.novak@harbour.example",
    "9F3C2AB": "9f3c2ab",
    "550E8400-E29B-41D4-A716-446655440000": "550e8400-e29b-41d4-a716-446655440000",
    "6f9619ff-8b86-d011-b42d-00cf4fc964ff": "{6F9619FF-8B86-D011-B42D-00CF4FC964FF}",
    "HTTPS://STATUS.QUAY.EXAMPLE": "https://status.quay.example",
    "c++": "C++",
    "(c#)": "C#",
    ".net": ".NET",
    "NODE.JS": "Node.js",
    "getuserbyid": "getUserById",
    "getUserById()": "getUserById",
    "parse_manifest()": "parse_manifest",
    "Payments_Retry_Worker": "payments_retry_worker",
    "`payments_retry_worker`:": "payments_retry_worker",
    "max_berth_length": "MAX_BERTH_LENGTH",
    "$home": "$HOME",
    "QUAY_DSN": "${QUAY_DSN}",
    "QUAY_TOKEN": "$QUAY_TOKEN",
    "x-request-id": "X-Request-Id",
    "x-request-id:": "X-Request-Id",
    "ZÜRICH": "Zürich",
    "zürich?": "Zürich",
    unicodedata.normalize("NFD", "Zürich"): "Zürich",
    "CAFÉ": "café",
    "łódź": "Łódź",
    "ВЛАДИВОСТОК": "Владивосток",
    "владивосток": "Владивосток",
    "πειραιάς": "Πειραιάς",
    "「請求書」": "請求書",
    "#HarbourLife": "#harbourlife",
    "@Marta_N": "@marta_n",
}

# The same inside a question: among the first three.
QUESTIONS = {
    "what does ADR-016 say?": "ADR-016",
    "What did we decide in adr-017?": "ADR-017",
    "who is ADR-018's author": "ADR-018",
    "is JIRA-1234 done?": "JIRA-1234",
    "any workaround for #4711?": "#4711",
    "Why was GH-77 closed?": "GH-77",
    "are we affected by CVE-2024-3094?": "CVE-2024-3094",
    "what is wrong with DOCK-16?": "DOCK-16",
    "who uses DOCK-19, and why?": "DOCK-19",
    "what happened to the branch for DOCK-36": "DOCK-36",
    "do we need v2.4.1?": "v2.4.1",
    "who should install 1.0.0-rc.3?": "1.0.0-rc.3",
    "what is set in /etc/nginx/nginx.conf?": "/etc/nginx/nginx.conf",
    "can I commit .env.production?": ".env.production",
    "what's in src/billing/invoice_run.py?": "src/billing/invoice_run.py",
    "what is at app/models.py:214?": "app/models.py:214",
    "should I ever use --no-verify?": "--no-verify",
    "who needs -Xmx512m and why?": "-Xmx512m",
    "may I run rm -rf on the volume?": "rm -rf",
    "when do we use `git push --force-with-lease`?": "git push --force-with-lease",
    "what does marta.novak@harbour.example approve?": "marta.novak@harbour.example",
    "what goes to ops+alerts@quay.example?": "ops+alerts@quay.example",
    "what broke in 9f3c2ab?": "9f3c2ab",
    "who is 550e8400-e29b-41d4-a716-446655440000?": "550e8400-e29b-41d4-a716-446655440000",
    "which order is 7d444840-9dc0-11d1-b245-5ffdce74fad2?": "7d444840-9dc0-11d1-b245-5ffdce74fad2",
    "what answers on http://localhost:8000?": "http://localhost:8000",
    "which device is 10.0.0.5?": "10.0.0.5",
    "who is in 192.168.178.0/24?": "192.168.178.0/24",
    "what do we write in C++?": "C++",
    "what happened to the C# kiosk?": "C#",
    "where do we run Node.js?": "Node.js",
    "who owns payments_retry_worker?": "payments_retry_worker",
    "what does getUserById do?": "getUserById",
    "what gives out slots: BerthAllocator?": "BerthAllocator",
    "when does tide-forecast-job run?": "tide-forecast-job",
    "is there a limit like MAX_BERTH_LENGTH?": "MAX_BERTH_LENGTH",
    "where is std::unique_ptr used?": "std::unique_ptr",
    "who reads DATABASE_URL?": "DATABASE_URL",
    "what happens if $HOME is missing?": "$HOME",
    "what runs at */15 * * * *?": "*/15 * * * *",
    'who sends {"retry": false}?': '{"retry": false}',
    "which index is idx_berth_name for?": "idx_berth_name",
    "who speaks application/json here?": "application/json",
    "whose number is +1-555-0142?": "+1-555-0142",
    "what costs €49.90?": "€49.90",
    "what ends on 2024-05-17?": "2024-05-17",
    "what is X-Request-Id for?": "X-Request-Id",
    "who uses postgres:16-alpine?": "postgres:16-alpine",
    "why does tide-api-7d9f8b6c5d-x2x4z leak?": "tide-api-7d9f8b6c5d-x2x4z",
    "what is in arn:aws:s3:::quay-backups?": "arn:aws:s3:::quay-backups",
    "潮汐预报什么时候更新？": "潮汐预报",
    "東京タワーの会議はいつ？": "東京タワー",
    "금요일에 배포해도 됩니까?": "금요일",
    "what moved to Zürich?": "Zürich",
    "что находится в городе Владивосток?": "Владивосток",
    "who uses 👩‍💻 as a status?": "👩‍💻",
    "what is posted under #harbourlife?": "#harbourlife",
    "do we log CO₂?": "CO₂",
}

# Longer than a line of this file, and than many an index takes.
LONG_URL = "https://files.example/download?checksum=" + "4f9a2c7e" * 40


def plain(line: str) -> str:
    return line.replace("⟦", "").replace("⟧", "")


def read_identifier_table(table: str) -> dict[str, str]:
    """Each identifier with the memory that has it."""
    return {found: plain(line) for line in table.splitlines() for found in re.findall("⟦(.+?)⟧", line)}


HOLDERS = {LONG_URL: f"The link is {LONG_URL}, valid for a day."}
HOLDERS |= {found: memory for table in IDENTIFIERS.values() for found, memory in read_identifier_table(table).items()}
FIRST = HOLDERS | {query: HOLDERS[identifier] for query, identifier in OTHERWISE.items()}
FIRST |= {f'"{phrase}"': memory for phrase, memory in read_identifier_table(PHRASES).items()}
NEAR = {question: HOLDERS[identifier] for question, identifier in QUESTIONS.items()}
MEMORIES = {plain(line): None for table in (*IDENTIFIERS.values(), PHRASES) for line in table.splitlines() if line}
MEMORIES |= dict.fromkeys(HOLDERS.values())
